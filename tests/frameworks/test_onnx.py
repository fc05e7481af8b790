"""The onnx adapter: the reference evaluator's RotaryEmbedding."""

import numpy as np
import pytest
import rotation_oracle as oracle

import posref
from posref.adapters import Unsupported


@pytest.fixture
def evaluator(framework):
    return framework("onnx")


@pytest.mark.parametrize("pairing", ["adjacent", "half"])
@pytest.mark.parametrize("width", [8, 6])
def test_rotates_by_tables_of_each_sequence(evaluator, call, pairing, width):
    x = (np.arange(2 * 3 * 4 * 8).reshape(2, 3, 4, 8) % 11 - 5) / 4
    positions = np.array([[0, 1, 2, 3], [9, 4, 7, 5]])
    angles = positions[:, None, :, None] * 1e4 ** (-np.arange(width // 2) * 2 / width)
    tables = [(np.float32(table).astype(float), "float32") for table in (np.cos(angles), np.sin(angles))]
    kind, got = call(
        evaluator, "rope.rotate", [(x, "float32"), *tables], pairing_in=pairing, pairing_out=pairing
    )
    expected = [
        [
            [oracle.rotate(x[b, h, t], positions[b, t], 1e4, pairing, width) for t in range(4)]
            for h in range(3)
        ]
        for b in range(2)
    ]
    assert kind == "float32"
    np.testing.assert_allclose(got, expected, atol=1e-6)
    np.testing.assert_array_equal(got[..., width:], x[..., width:])


@pytest.mark.parametrize(
    "params",
    [
        {"pairing_in": "adjacent", "pairing_out": "half"},
        {"pairing_in": "half", "pairing_out": "half", "rotary_start": 2},
    ],
)
def test_what_it_cannot_be_asked_is_unsupported(evaluator, call, params):
    tensors = [([[1, 2, 3, 4]], "float32"), ([[1]], "float32"), ([[0]], "float32")]
    with pytest.raises(Unsupported):
        call(evaluator, "rope.rotate", tensors, **params)


def test_one_float_type_for_x_and_tables(evaluator, call):
    tensors = [([[1, 2]], "float32"), ([[1]], "float64"), ([[0]], "float64")]
    with pytest.raises(Unsupported, match="dtype of x"):
        call(evaluator, "rope.rotate", tensors, pairing_in="half", pairing_out="half")


def test_every_value_is_right_and_nothing_is_checked(evaluator, verdicts):
    report = posref.check(evaluator)
    assert verdicts(report, "value", "float32", "fail", "error") == {}
    assert len(verdicts(report, "value", "float32", "pass")["rope.rotate"]) >= 10
    assert verdicts(report, "invalid", "float32", "fail") == {
        "rope.rotate": {"rope-rotate-invalid-infinite", "rope-rotate-invalid-one-row"}
    }
    assert report.to_text().startswith("posref: onnx ")
