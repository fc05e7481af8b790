"""posref.testing on NumPy: one right and one wrong implementation through every door."""

import subprocess
import sys
from types import MappingProxyType
from unittest import SkipTest

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings
from hypothesis import strategies as st

import posref
from posref import testing
from posref.adapters import Implementation, Unsupported
from posref.numerics.arrays import host
from posref.operation import DTYPES, signatures
from posref.operation import find as find_operation
from posref.testing import strategies

DRAWN = settings(
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
NO_SEARCH = settings(DRAWN, phases=[Phase.generate])


def still(x, positions, **_):
    """Rotate nothing."""
    return x.copy()


def swapped(x, positions, *, pairing, **params):
    """Rotate with the other pairing."""
    other = {"half": "adjacent", "adjacent": "half"}[pairing]
    return posref.rope.apply(x, positions, pairing=other, **params)


class TestAssertConforms:
    @pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
    def test_the_reference_conforms(self, dtype):
        testing.assert_conforms(posref, "rope.rotate", dtype)

    def test_a_function_is_enough_for_one_operation(self):
        testing.assert_conforms(posref.alibi.slopes, "alibi.slopes", "float32")

    def test_a_message_says_what_where_why_and_how_to_see_it(self):
        with pytest.raises(AssertionError) as failure:
            testing.assert_conforms(swapped, "rope.apply", "float32", kind="value")
        lines = str(failure.value).splitlines()
        assert "mapping does not conform: " in lines[0]
        text = " ".join(" ".join(lines).split())
        for part in (
            "rope.apply in float32",
            "pairing",
            "first wrong element",
            "got",
            "see: posref show rope-",
        ):
            assert part in text
        assert len(lines) < 15
        assert max(map(len, lines)) <= 100

    def test_a_message_describes_three_operations_and_names_the_others(self):
        schemes = ("positions.relative", "positions.from_mask", "positions.from_lengths")
        names = [*schemes, "shaw.index", "swin.index"]
        wrong = {name: lambda *_, **__: np.zeros(1, dtype=np.int64) for name in names}
        with pytest.raises(AssertionError, match=r"also wrong: shaw\.index in int64, swin\.index in int64"):
            testing.assert_conforms(wrong, names, kind="value")

    def test_an_empty_run_is_a_failure(self):
        def refuse(*_, **__):
            raise Unsupported("no such kernel")

        with pytest.raises(
            AssertionError, match=r"0 cases executed where 1 are wanted\n.* skipped: no such kernel"
        ):
            testing.assert_conforms(refuse, "alibi.slopes", "float32")

    def test_too_few_cases_are_a_failure(self):
        with pytest.raises(AssertionError, match="where 100000 are wanted"):
            testing.assert_conforms(posref.alibi.slopes, "alibi.slopes", "float32", min_tests=100000)

    def test_an_unknown_library_is_refused(self):
        with pytest.raises(ValueError, match="library is one of numpy, torch, jax, got 'cupy'"):
            testing.assert_conforms(posref, "alibi.slopes", library="cupy")

    def test_what_writes_its_own_arrays_takes_no_library(self, monkeypatch):
        monkeypatch.setitem(testing.libraries.LIBRARIES, "torch", testing.libraries.LIBRARIES["numpy"])
        with pytest.raises(ValueError, match="Implementation writes its own arrays"):
            testing.assert_conforms(Implementation("mine", {}), "alibi.slopes", library="torch")


@testing.parametrize("rope.apply", ["float32", "bfloat16"])
def test_every_case_passes_with_the_reference(case):
    case.check(posref.rope.apply)
    case.check(case.call.on(posref.rope.apply))


@testing.parametrize("rope.apply", kind="invalid")
def test_every_invalid_case_is_refused_by_the_reference(case):
    case.check(posref.rope.apply)


class TestCases:
    def test_a_case_shows_what_it_is(self):
        case = testing.cases("rope.rotate")[0]
        assert (case.operation, case.dtype) == ("rope.rotate", "float32")
        assert set(case.inputs) == {"x", "cos", "sin"}
        assert set(case.params) == {"pairing_in", "pairing_out", "rotary_start"}
        assert case.expected["y"].shape == case.inputs["x"].shape
        assert case.expected["y"].dtype == np.float32
        assert case.comment

    def test_inputs_are_new_each_time(self):
        case = testing.cases("rope.rotate")[0]
        case.inputs["x"][...] = np.nan
        assert np.isfinite(case.inputs["x"]).all()

    def test_a_wrong_function_and_a_wrong_output_are_found(self):
        turned = [case for case in testing.cases("rope.apply") if "position-zero" not in case.test.flags]
        for answer in (still, still(**turned[-1].inputs)):
            with pytest.raises(AssertionError, match=r"diagnosis: .*nothing was rotated[\s\S]*posref show"):
                turned[-1].check(answer)

    def test_a_function_that_changes_its_input_is_found(self):
        def spoils(x, positions, **params):
            answer = posref.rope.apply(x, positions, **params)
            x[...] = 0
            return answer

        case = next(case for case in testing.cases("rope.apply") if case.inputs["x"].any())
        with pytest.raises(AssertionError, match="changed its input x"):
            case.check(spoils)

    def test_an_answer_to_an_invalid_case_is_a_failure(self):
        case = testing.cases("rope.apply", kind="invalid")[0]
        for answer in (lambda *_, **__: np.zeros(2), np.zeros(2)):
            with pytest.raises(AssertionError, match="answered an input that must be refused"):
                case.check(answer)

    def test_an_exception_on_a_value_is_the_tests_own(self):
        def fails(*_, **__):
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            testing.cases("rope.apply")[0].check(fails)

    @pytest.mark.parametrize("kind", ["value", "invalid"])
    def test_what_is_unsupported_skips(self, kind):
        def lacks(*_, **__):
            raise Unsupported("no kernel")

        with pytest.raises(SkipTest, match="no kernel"):
            testing.cases("rope.apply", kind=kind)[0].check(lacks)

    def test_integer_cases_come_once(self):
        found = testing.cases("t5.bucket", ["float32", "bfloat16"])
        assert {case.dtype for case in found} == {"int64"}
        assert len({case.id for case in found}) == len(found)

    def test_what_is_left_out_has_a_reason(self):
        found = testing.cases("rope.apply", "bfloat16")
        stored = {
            test.id for test in posref.load_vectors(operations="rope.apply").tests if test.kind == "value"
        }
        assert found.left_out
        assert all(found.left_out.values())
        assert {case.id for case in found} | {name for name, _ in found.left_out} == stored

    def test_identifiers_are_those_of_the_vectors(self):
        (mark,) = [testing.parametrize("alibi.slopes", ["float32", "bfloat16"])]
        ids = [param.id for param in mark.args[1]]
        assert len(set(ids)) == len(ids)
        assert "-float32" in ids[0]
        assert ids[0].startswith("alibi-slopes-")

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ({"operations": "nothing.*"}, "no operation matches"),
            ({"dtype": "float8"}, "no dtype 'float8'"),
            ({"kind": "scenario"}, "kind is value or invalid"),
            ({"library": "cupy"}, "library is one of"),
        ],
    )
    def test_unknown_arguments_are_refused(self, arguments, message):
        with pytest.raises(ValueError, match=message):
            testing.cases(**arguments)


@pytest.mark.parametrize("name", signatures())
class TestStrategies:
    def test_the_reference_accepts_every_call(self, name):
        function = find_operation("reference", name)
        drawn = []

        @NO_SEARCH
        @given(st.sampled_from(DTYPES).flatmap(lambda dtype: strategies.calls(name, dtype)))
        def accepted(call):
            drawn.append(call.on(function))

        accepted()
        assert len(drawn) >= 30

    def test_the_reference_refuses_every_broken_call(self, name):
        function = find_operation("reference", name)
        broken = set()

        @NO_SEARCH
        @given(strategies.invalid(name))
        def refused(call):
            with pytest.raises((posref.SpecError, TypeError)):
                call.on(function)
            broken.add(call.broken)

        refused()
        assert len(broken) >= 5


class TestDraws:
    """What a strategy must be able to draw: each is searched for, and found."""

    @pytest.mark.parametrize(
        "wanted",
        [
            lambda call: 0 in call.tensors["x"][0].shape,
            lambda call: (call.tensors["positions"][0] == 2**53).any(),
            lambda call: (call.tensors["positions"][0] < 0).any(),
            lambda call: (call.tensors["positions"][0] % 1 != 0).any(),
            lambda call: call.tensors["x"][0].ndim == 4,
            lambda call: call.params["pairing"] == "half" and call.params["rotary_start"] > 0,
            lambda call: (call.params["scaling"] or {}).get("rope_type") == "yarn",
            lambda call: (call.params["scaling"] or {}).get("rope_type") == "longrope",
        ],
        ids=["empty", "2p53", "negative", "fraction", "heads", "slice", "yarn", "longrope"],
    )
    def test_rope(self, wanted):
        assert wanted(
            find(strategies.calls("rope.apply"), wanted, settings=settings(NO_SEARCH, max_examples=2000))
        )

    def test_a_failure_shrinks_to_a_small_call(self):
        call = find(strategies.calls("rope.apply"), lambda call: call.tensors["x"][0].any(), settings=DRAWN)
        assert call.tensors["x"][0].size == 2
        assert call.params["scaling"] is None

    @pytest.mark.parametrize("strategy", [strategies.calls, strategies.invalid])
    def test_unknown_arguments_are_refused(self, strategy):
        for arguments in (("rope.nothing",), ("rope.apply", "float8")):
            with pytest.raises(ValueError, match=r"no operation|no dtype"):
                strategy(*arguments)


class TestMatches:
    def test_the_reference_matches_itself(self):
        testing.assert_matches_reference(posref.rope.apply, "rope.apply", "bfloat16", max_examples=30)

    def test_a_wrong_function_is_found_on_a_small_call(self):
        with pytest.raises(AssertionError, match=r"first wrong element[\s\S]*call: rope\.apply\(x=float32"):
            testing.assert_matches_reference(still, "rope.apply")

    def test_a_wrong_dtype_is_found(self):
        def wide(**params):
            return posref.alibi.slopes(**(params | {"dtype": "float64"}))

        with pytest.raises(AssertionError, match="slopes has dtype float64 where float32 is declared"):
            testing.assert_matches_reference(wide, "alibi.slopes")

    def test_a_stronger_claim_is_asked_for(self):
        with pytest.raises(AssertionError, match="fail under correctly_rounded"):
            testing.assert_matches_reference(
                lambda **params: np.nextafter(posref.alibi.slopes(**params), np.float32(1)),
                "alibi.slopes",
                claim="correctly_rounded",
            )

    def test_nothing_judged_is_a_failure(self):
        def lacks(*_, **__):
            raise Unsupported("no kernel")

        with pytest.raises(AssertionError, match="every call drawn was passed over"):
            testing.assert_matches_reference(lacks, "rope.apply")


def test_importing_needs_numpy_only():
    code = "import sys, posref.testing; print({'pytest', 'hypothesis', 'torch', 'jax'} & set(sys.modules))"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "set()\n"
    )


@pytest.mark.parametrize(
    ("module", "use"),
    [
        ("pytest", lambda: testing.parametrize("alibi.slopes")),
        ("hypothesis", lambda: testing.assert_matches_reference(posref.alibi.slopes, "alibi.slopes")),
    ],
)
def test_what_is_missing_names_the_extra(module, use, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=rf"needs {module}: pip install 'posref\[testing\]'"):
        use()


def test_a_list_is_read_as_numpy_reads_it():
    assert host([[1, 2]]).tolist() == [[1, 2]]


def test_params_of_any_mapping_are_judged():
    params = MappingProxyType({"num_heads": 2, "bias_max": 8.0})
    assert posref.judge("alibi.slopes", {}, np.array([2.0**-4, 2.0**-8]), params)
