"""Small ONNX graphs, run by ONNX Runtime: the textbook formulas out of Pow, Mul, Cos, Sin."""

from functools import cache

import numpy as np
import pytest
from honest_figures import check

from posref.adapters import Implementation, Unsupported


@pytest.fixture
def onnxruntime(module):
    return module("onnxruntime")


@cache
def session(lines, inputs, outputs):
    """Return a session of a graph given as lines ``operator result operand ...``, all in float32."""
    import onnx
    import onnxruntime

    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    nodes = [
        helper.make_node(operator, operands, [result])
        for operator, result, *operands in map(str.split, lines)
    ]
    graph = helper.make_graph(
        nodes,
        "formula",
        [helper.make_tensor_value_info(name, kind, None) for name in inputs],
        [helper.make_tensor_value_info(name, kind, None) for name in outputs],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


LADDER = ("Div exponent index width", "Pow power base exponent", "Reciprocal frequency power")
TABLES = ("Mul angle position frequency", "Cos cosine angle", "Sin sine angle")
FACTOR = ("Mul cos cosine factor", "Mul sin sine factor")
TURN = ("Mul ac a cos", "Mul bs b sin", "Mul as a sin", "Mul bc b cos", "Sub left ac bs", "Add right as bc")


def graph(lines, outputs, **feeds):
    feeds = {name: np.asarray(value, dtype=np.float32) for name, value in feeds.items()}
    return session(lines, tuple(feeds), outputs).run(None, feeds)


def inv_freq(*, rotary_dim, base, dtype):
    index = np.arange(0, rotary_dim, 2)
    return graph(LADDER, ("frequency",), index=index, width=rotary_dim, base=base)[0]


def cos_sin(positions, inv_freq, *, attention_factor=1.0, dtype):
    rows = {"position": positions[..., None], "frequency": inv_freq, "factor": attention_factor}
    return tuple(graph(TABLES + FACTOR, ("cos", "sin"), **rows))


def rotate(x, cos, sin, *, pairing_in, pairing_out, rotary_start=0):
    half, y = cos.shape[-1], x.copy()
    places = {
        "adjacent": (
            slice(rotary_start, rotary_start + 2 * half, 2),
            slice(rotary_start + 1, rotary_start + 2 * half, 2),
        ),
        "half": (
            slice(rotary_start, rotary_start + half),
            slice(rotary_start + half, rotary_start + 2 * half),
        ),
    }
    a, b = (x[..., place] for place in places[pairing_in])
    left, right = graph(TURN, ("left", "right"), a=a, b=b, cos=cos, sin=sin)
    for place, part in zip(places[pairing_out], (left, right), strict=True):
        y[..., place] = part
    return y


def apply(x, positions, *, rotary_dim, rotary_start=0, base, pairing, scaling=None, seq_len=None):
    if scaling is not None:
        raise Unsupported("no scaling")
    frequency = inv_freq(rotary_dim=rotary_dim, base=base, dtype="float32")
    cos, sin = cos_sin(positions, frequency, dtype="float32")
    return rotate(x, cos, sin, pairing_in=pairing, pairing_out=pairing, rotary_start=rotary_start)


def test_every_case_is_accepted(onnxruntime, capsys):
    operations = {
        "rope.inv_freq": inv_freq,
        "rope.cos_sin": cos_sin,
        "rope.rotate": rotate,
        "rope.apply": apply,
    }
    check(Implementation("onnxruntime", operations, dtypes=("float32",)), capsys, 4)


def test_the_kernels_are_accepted(framework, capsys):
    check(framework("onnxruntime"), capsys, 2)
