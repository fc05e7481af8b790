"""Scenarios in the corpus: composed exactly, read strictly, written canonically, bounded."""

import hashlib
import json
import shutil
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from posref import operation
from posref.bounds import _carry
from posref.bounds.model import MODELS, bound
from posref.cases._build import integers
from posref.cases._draw import draw
from posref.corpus import certified_scenario, diff, encode, lint, load_vectors, manifest, verify
from posref.corpus.certify import certify
from posref.corpus.certify_scenario import certify_scenario
from posref.corpus.engine_arb import ArbReal
from posref.corpus.engine_mpmath import MpmathReal
from posref.corpus.generate import CORPUS_VERSION, build
from posref.corpus.load import SCENARIO_HEAD, ScenarioTest
from posref.errors import FormatError
from posref.operation import DTYPES, FromStep, Made, Scenario, Step

CACHE, LENGTH = "core/rope/cache_scenario.json", "core/rope/length_scenario.json"
PLAIN = {
    "rotary_dim": 4, "rotary_start": 1, "base": 10000.0, "pairing": "half", "scaling": None, "seq_len": None,
}  # fmt: skip
ALL = [case for group in operation.scenarios() for case in group.cases]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("scenarios") / "v"
    build(root, operations="*_scenario")
    for name in manifest.BY_HAND:
        (root / name).write_text("By hand.\n")
    sign(root)
    return root


@pytest.fixture
def corpus(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "v"))


def sign(root: Path, version: str = CORPUS_VERSION) -> None:
    (root / manifest.SUMS).write_bytes(manifest.sums(root))
    (root / manifest.MANIFEST).write_bytes(encode.dump(manifest.make(root, version)))


def edit(root: Path, path: str, change: Callable[[Any], object]) -> None:
    """Change a parsed file, write it canonically and sign the corpus."""
    content = json.loads((root / path).read_text("ascii"))
    change(content)
    (root / path).write_bytes(encode.dump(content))
    sign(root)


def found(root: Path, name: str) -> ScenarioTest:
    return next(test for test in load_vectors(root).scenarios if test.id == name)


# What is certified


def shifted(kind: Any = "float32", delta: int = -3) -> Scenario:
    keys = {"x": draw("made", "x", (3, 6), kind), "positions": integers((5, 6, 9))}
    steps = (
        Step("rotary", keys),
        Step("shift", {"k": FromStep(0, "y"), "delta": integers((delta,), ())}),
    )
    objects = {"rotary": Made("rope.apply", PLAIN), "shift": Made("rope.rerotate", PLAIN)}
    return Scenario("made", "Made.", objects, steps, ("rope.C14",))


@pytest.mark.parametrize("engine", [MpmathReal, ArbReal])
@pytest.mark.parametrize("kind", ["bfloat16", "float32", "float64"])
def test_steps_compose_the_exact_functions(engine: Any, kind: Any) -> None:
    """Rotated at p and shifted by -3 is rotated at p - 3, to the last bit and residual."""
    scenario = shifted(kind)
    played = certify_scenario(engine, scenario, [DTYPES, DTYPES])
    at = {**scenario.steps[0].inputs, "positions": integers((2, 3, 6))}
    assert played[1]["k"] == certify(engine, "rope.apply", at, PLAIN, DTYPES)["y"]
    assert played[0] == certify(engine, "rope.apply", scenario.steps[0].inputs, PLAIN, DTYPES)


def test_an_earlier_output_is_not_rounded_on_its_way() -> None:
    scenario = shifted()
    played = certify_scenario(MpmathReal, scenario, [DTYPES, DTYPES])
    rounded = {"k": played[0]["y"]["float32"][0], "delta": scenario.steps[1].inputs["delta"]}
    other = certify(MpmathReal, "rope.rerotate", rounded, PLAIN, DTYPES)
    assert played[1]["k"]["float64"] != other["k"]["float64"]


def test_a_length_of_its_own_decides_about_a_step() -> None:
    scenario = next(case for case in ALL if case.id == "rope-scenario-dynamic-long-short-f32")
    played = certify_scenario(MpmathReal, scenario, [("float64",)] * 2)
    for step, outputs in zip(scenario.steps, played, strict=True):
        params = {**scenario.objects[step.object].params, "seq_len": step.seq_len}
        assert outputs == certify(MpmathReal, "rope.apply", step.inputs, params, ("float64",))


def test_both_engines_write_the_same_bytes(built: Path) -> None:
    assert verify.verify(built, operations="rope.cache_scenario", engine="arb") == []
    assert verify.verify(built, operations="*_scenario", sample=3, engine="arb") == []


def test_a_value_that_overflows_is_a_build_error() -> None:
    scenario = shifted("bfloat16")
    big = {"x": draw("made", "x", (3, 6), "bfloat16"), "positions": integers((0, 1, 2))}
    big["x"] = type(big["x"])("bfloat16", (3, 6), (65504.0 - 480.0,) * 18)
    steps = (Step("rotary", big), scenario.steps[1])
    with pytest.raises(ValueError, match="step 0 overflows float16"):
        certified_scenario.expected(Scenario("made", "", scenario.objects, steps, ()), "mpmath")


# What is loaded


def test_every_scenario_is_loaded_as_it_was_written(built: Path) -> None:
    loaded = {test.id: test for test in load_vectors(built).scenarios}
    assert set(loaded) == {case.id for case in ALL}
    for group in operation.scenarios():
        for case in group.cases:
            test = loaded[case.id]
            assert (test.name, test.group, test.signed_zero) == (group.scenario, group.name, "ignore")
            assert test.scenario.steps == case.steps
            assert test.scenario.comment == case.comment
            assert set(test.scenario.flags) == set(case.flags)
            for name, made in case.objects.items():
                assert test.scenario.objects[name].operation == made.operation
                assert dict(test.scenario.objects[name].params) == dict(made.params)


def test_identifiers_are_unique_and_nothing_is_symmetric() -> None:
    assert len({case.id for case in ALL}) == len(ALL)
    for case in ALL:
        assert len(case.steps) > 1
        assert set(case.clauses) <= set(lint.clauses())
        places = [repr((step.inputs, step.seq_len)) for step in case.steps]
        assert all(one != two for one, two in pairwise(places)), case.id


def test_the_hash_is_that_of_objects_and_steps_without_bounds(built: Path) -> None:
    for path in (CACHE, LENGTH):
        for group in json.loads((built / path).read_text("ascii"))["groups"]:
            for test in group["tests"]:
                content = json.loads(json.dumps({"objects": test["objects"], "steps": test["steps"]}))
                for step in content["steps"]:
                    for by_dtype in step["expected"].values():
                        for entry in by_dtype.values():
                            entry.pop("bound", None)
                text = json.dumps(content, sort_keys=True, separators=(",", ":"))
                assert test["case_hash"] == hashlib.sha256(text.encode()).hexdigest()[:16]


def test_the_manifest_counts_the_elements_of_all_steps(built: Path) -> None:
    [file] = [file for file in load_vectors(built).files if file.path == LENGTH]
    tests = [test for test in load_vectors(built).scenarios if test.file == LENGTH]
    values = [entry for test in tests for call in test.calls for entry in call.expected.values()]
    assert file.tests == len(tests)
    assert file.elements == sum(len(next(iter(by.values())).tensor.data) for by in values)


TEST = ("groups", 0, "tests", 0)
STEP = (*TEST, "steps", 0)
LATER = (*TEST, "steps", 2)
REMOVE = object()

FAULTS = [
    # file, place, value, message, structural
    (CACHE, (*LATER, "inputs", "cu_seqlens", "from_step"), 2, "out of range", False),
    (CACHE, ("groups", 2, "tests", 0, "steps", 1, "inputs", "k", "from_step"), 1, "out of range", False),
    (CACHE, ("groups", 2, "tests", 0, "steps", 1, "inputs", "k", "from_step"), -1, "out of range", True),
    (CACHE, ("groups", 2, "tests", 0, "steps", 1, "inputs", "k", "output"), "k", "must be one of", False),
    (CACHE, ("groups", 2, "tests", 0, "steps", 1, "inputs", "k", "dtype"), "float32", "unknown key", True),
    (
        CACHE,
        ("groups", 2, "tests", 0, "steps", 1, "inputs", "delta"),
        {"from_step": 0, "output": "y"},
        "does not take an output of type float",
        False,
    ),
    (CACHE, (*STEP, "object"), "nobody", "must be one of", False),
    (CACHE, (*STEP, "object"), REMOVE, "'object' is missing", True),
    (CACHE, (*STEP, "seq_len"), 5, "unknown key 'seq_len'", False),
    (CACHE, (*STEP, "base"), 5, "unknown key 'base'", True),
    (LENGTH, (*STEP, "seq_len"), 0, "out of range", True),
    (LENGTH, (*STEP, "seq_len"), None, "must be an integer", True),
    (LENGTH, (*STEP, "inputs", "x"), REMOVE, "'x' is missing", False),
    (LENGTH, (*STEP, "expected", "y", "bfloat16"), REMOVE, "is missing", False),
    (LENGTH, ("groups", 1, "tests", 0, "steps", 1), REMOVE, "at least two", True),
    (LENGTH, (*TEST, "objects", "idle"), "copy", "no step calls", False),
    (LENGTH, (*TEST, "objects", "rotary", "operation"), "rope.nothing", "must be one of", False),
    (LENGTH, (*TEST, "case_hash"), "0" * 16, "hashes to", False),
    (LENGTH, (*TEST, "inputs"), {}, "unknown key", True),
    (LENGTH, ("groups", 0, "params"), {}, "unknown key", True),
    (LENGTH, ("scenario",), "rope.other_scenario", "must be one of", False),
    (LENGTH, ("operation",), "rope.apply", "unknown key", True),
    (LENGTH, ("kind",), "value", "must be one of", True),
]


def put(content: Any, place: tuple[Any, ...], value: Any) -> None:
    *keys, last = place
    for key in keys:
        content = content[key]
    if value is REMOVE:
        del content[last]
    else:
        content[last] = content["rotary"] if value == "copy" else value


@pytest.mark.parametrize(("path", "place", "value", "message", "structural"), FAULTS)
def test_a_single_fault_is_refused(
    corpus: Path, path: str, place: tuple[Any, ...], value: Any, message: str, structural: bool
) -> None:
    first = json.loads((corpus / CACHE).read_text("ascii"))["groups"]
    assert [group["group"] for group in first][:3:2] == ["packed", "shift"]
    if path == CACHE and place == (*LATER, "inputs", "cu_seqlens", "from_step"):
        place, value = place[:-1], {"from_step": 2, "output": "position_ids"}
    edit(corpus, path, lambda content: put(content, place, value))
    with pytest.raises(FormatError, match=message) as caught:
        load_vectors(corpus)
    assert caught.value.file == path
    document = json.loads((corpus / path).read_text("ascii"))
    assert bool(list(validator().iter_errors(document))) is structural


def validator() -> Draft202012Validator:
    schema = json.loads((operation.home("spec") / "schema" / "scenario.json").read_text("ascii"))
    Draft202012Validator.check_schema(schema)
    assert schema["required"] == list(SCENARIO_HEAD)
    return Draft202012Validator(schema)


def test_the_schema_accepts_what_is_built(built: Path) -> None:
    paths = [path for path in manifest.vector_files(built) if path.endswith("_scenario.json")]
    assert len(paths) == len({group.scenario for group in operation.scenarios()})
    for path in paths:
        assert not list(validator().iter_errors(json.loads((built / path).read_text("ascii")))), path


def test_main_inputs_of_two_kinds_are_refused(corpus: Path) -> None:
    def mix(content: Any) -> None:
        [test] = [one for one in content["groups"][1]["tests"] if one["id"] == "rope-scenario-reuse-bf16"]
        test["steps"][2]["inputs"]["q"] = {"dtype": "float32", "shape": [1, 8], "data": ["3f800001" * 8]}

    edit(corpus, CACHE, mix)
    with pytest.raises(FormatError, match="main inputs of a step have one dtype"):
        load_vectors(corpus)


def test_a_name_of_another_file_is_refused(corpus: Path) -> None:
    def rename(content: Any) -> None:
        put(content, (*TEST, "id"), "rope-scenario-shift-bf16")

    edit(corpus, LENGTH, rename)
    with pytest.raises(FormatError, match=r"stands in core/rope/cache_scenario\.json too"):
        load_vectors(corpus)


# What is written, compared and checked


def test_lint_is_content_and_sees_what_is_not_canonical(corpus: Path) -> None:
    assert lint.lint(corpus).problems == ()
    text = (corpus / CACHE).read_text("ascii")
    (corpus / CACHE).write_text(text.replace('"from_step": 0', '"from_step":  0', 1), "ascii")
    sign(corpus)
    [problem] = lint.lint(corpus).problems
    assert problem.startswith(f"{CACHE}: line ")


def test_lint_sees_a_clause_that_no_page_has(corpus: Path) -> None:
    edit(corpus, LENGTH, lambda content: put(content, (*TEST, "clauses"), ["rope.C99"]))
    assert any("cites rope.C99" in problem for problem in lint.lint(corpus).problems)


def rehash(content: Any) -> None:
    from posref.corpus.encode_scenario import case_hash

    test = content["groups"][0]["tests"][0]
    test["case_hash"] = case_hash(test)


def test_diff_tells_new_from_redefined_from_corrected(built: Path, corpus: Path) -> None:
    def one_less(content: Any) -> None:
        del content["groups"][-1]
        content["number_of_tests"] = sum(len(group["tests"]) for group in content["groups"])
        raised = {flag for group in content["groups"] for test in group["tests"] for flag in test["flags"]}
        content["notes"] = {flag: note for flag, note in content["notes"].items() if flag in raised}

    edit(corpus, LENGTH, one_less)
    changes = diff.diff(corpus, built)
    assert changes.required == "MINOR"
    assert changes.added == ("rope-scenario-longrope-short-long-short-bf16",)


@pytest.mark.parametrize(
    ("place", "value", "kind", "required"),
    [
        ((*STEP, "seq_len"), 9000, "redefined", "MAJOR"),
        ((*STEP, "expected", "y", "float64", "residual", 0), "+" * 8, "corrected", "PATCH"),
        ((*STEP, "expected", "y", "float64", "bound", 0), "3f80" * 8, "rebounded", "PATCH"),
    ],
)
def test_diff_classifies_a_change(
    built: Path, corpus: Path, place: tuple[Any, ...], value: Any, kind: str, required: str
) -> None:
    def change(content: Any) -> None:
        put(content, place, value)
        rehash(content)

    edit(corpus, LENGTH, change)
    changes = diff.diff(built, corpus)
    assert changes.required == required
    assert getattr(changes, kind) == ("rope-scenario-dynamic-growth-bf16",)


# Bounds


def test_a_coordinate_that_passes_through_is_allowed_what_it_was(built: Path) -> None:
    test = found(built, "rope-scenario-shift-bf16")
    for dtype in DTYPES:
        limits = [
            np.array(next(iter(call.expected.values()))[dtype].bound).reshape(4, 9) for call in test.calls
        ]
        outside = [0, 1, 8]
        assert all((limit[:, outside] == 0).all() for limit in limits)
        assert (limits[0][:, 2:8] < limits[1][:, 2:8]).all()
        assert (limits[1][:, 2:8] < 3 * limits[0][:, 2:8].max()).all()


def test_an_error_enters_the_bound_as_it_stands() -> None:
    """Pass-through coordinates, given an error, are allowed that error; without one, nothing changes."""
    inputs = {"k": np.arange(1.0, 7.0).reshape(1, 6), "delta": np.array(3)}
    real = {"k": np.ones((1, 6))}
    errors = {"k": np.full((1, 6), 0.25)}
    for claim, dtype in (("f32-angle", "float32"), ("f32-angle-bf16", "bfloat16")):
        own = bound("rope.rerotate", claim, inputs, PLAIN, real, dtype)["k"][0]
        with_it = bound("rope.rerotate", claim, inputs, PLAIN, real, dtype, errors)["k"][0]
        assert (with_it[0, [0, 5]] == 0.25).all()
        assert (own[0, [0, 5]] == 0).all()
        assert (with_it[0, 1:5] > own[0, 1:5] + 0.25).all()
        none = bound("rope.rerotate", claim, inputs, PLAIN, real, dtype, {"k": np.zeros((1, 6))})["k"][0]
        assert (none == np.where(own == 0, 0, none)).all()
        np.testing.assert_allclose(none, own)


def test_an_operation_that_takes_no_earlier_output_is_named() -> None:
    with pytest.raises(KeyError, match=r"rope.inv_freq takes no earlier output: precision.C29"):
        _carry.carried("rope.inv_freq", MODELS["f64-angle"], {}, {}, {"x": np.zeros(1)})


YARN = {
    "rope_type": "yarn", "factor": 8.0, "original_max_position_embeddings": 4096, "beta_fast": 32.0,
    "beta_slow": 1.0, "ramp": "index", "truncate": True, "extrapolation_factor": 1.0,
    "attention_factor": None, "mscale": None, "mscale_all_dim": None, "mscale_rule": "hf",
}  # fmt: skip


@pytest.mark.parametrize("scaling", [None, YARN])
@pytest.mark.parametrize("name", ["rope.apply", "rope.rerotate"])
@pytest.mark.parametrize("pairing", ["half", "adjacent"])
def test_no_error_of_an_input_moves_a_rotation_farther(name: str, scaling: Any, pairing: str) -> None:
    params = {**PLAIN, "rotary_dim": 8, "pairing": pairing, "scaling": scaling}
    r = np.random.default_rng(11)
    x, size = r.normal(size=(5, 11)), r.uniform(0.01, 0.2, size=(5, 11))
    places = np.array([0, 1, 2, -700, 5001])
    main, other = ("x", "positions") if name == "rope.apply" else ("k", "delta")
    function = operation.find("reference", name)
    inputs = {main: x, other: places}
    limit = _carry.carried(name, MODELS["f64-angle"], inputs, params, {main: size})
    reached = np.zeros(x.shape)
    right = function(x, places, **params)
    for _ in range(500):
        signs = r.choice([-1.0, 1.0], size=x.shape)
        signs *= r.choice([0.0, 1.0], size=x.shape, p=[0.2, 0.8])
        moved = np.abs(function(x + signs * size, places, **params) - right)
        assert (moved <= limit * (1 + 1e-9) + 1e-12).all()
        reached = np.maximum(reached, moved / limit)
    assert reached[:, 1:9].mean() > 0.8


def test_no_error_of_an_input_moves_a_score_farther() -> None:
    r = np.random.default_rng(12)
    q, k = r.normal(size=(2, 3, 5)), r.normal(size=(2, 4, 5))
    errors = {"q": r.uniform(0.01, 0.2, size=q.shape), "k": r.uniform(0.01, 0.2, size=k.shape)}
    params = {"scale": -0.7}
    function = operation.find("reference", "attention.scores")
    for given in (errors, {"q": errors["q"]}, {"k": errors["k"]}):
        limit = _carry.carried("attention.scores", MODELS["f64-angle"], {"q": q, "k": k}, params, given)
        of_q, of_k = (given.get(name, np.zeros(one.shape)) for name, one in (("q", q), ("k", k)))
        most = np.zeros(limit.shape)
        for i, j in np.ndindex(3, 4):  # the worst case of each score, sign by sign
            grown_q = q[:, i] + of_q[:, i] * np.where(k[:, j] < 0, -1, 1)
            grown_k = k[:, j] + of_k[:, j] * np.where(grown_q < 0, -1, 1)
            away = function(grown_q[:, None], grown_k[:, None], **params) - function(
                q[:, i, None], k[:, j, None], **params
            )
            most[:, i, j] = np.abs(away)[:, 0, 0]
        assert (most <= limit * (1 + 1e-12)).all()
        assert (most > 0.7 * limit).all()
