"""Run a kernel on an exported NPZ, on any machine with NumPy; write a file of results. No posref here."""

import json
import sys

import numpy as np


def rotate(x, cos, sin, *, rotary_start, pairing_in, pairing_out):  # call your kernel instead
    half = cos.shape[-1]
    pairs = {
        "adjacent": (np.arange(half) * 2, np.arange(half) * 2 + 1),
        "half": (np.arange(half), np.arange(half) + half),
    }
    (a, b), (c, d) = (np.add(pairs[name], rotary_start) for name in (pairing_in, pairing_out))
    y = x.copy()
    y[..., c] = x[..., a] * cos - x[..., b] * sin
    y[..., d] = x[..., a] * sin + x[..., b] * cos
    return y


def widened(bits):
    """Read bfloat16."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def narrowed(values):
    """Return the bits of bfloat16, rounded to nearest, ties to even."""
    bits = values.view(np.uint32)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


archive = np.load(sys.argv[1])
index = json.loads(archive["index"].tobytes())
head = {"type": "results", "protocol": 1, "tree_sha256": index["tree_sha256"]}
head |= {"name": "my kernel", "language": "Python", "version": "1"}
head |= {"operations": ["rope.rotate"], "dtypes": ["bfloat16", "float32"]}
print(json.dumps(head))
for test, asked in index["tests"].items():
    stored = [archive[f"{test}/inputs/{name}"] for name in asked["inputs"]]
    inputs = [widened(bits) if bits.dtype == np.uint16 else bits for bits in stored]
    y = narrowed(rotate(*inputs, **asked["params"]))
    rows = ["".join(f"{bits:04x}" for bits in row) for row in y.reshape(-1, y.shape[-1])]
    outputs = {"y": {"dtype": "bfloat16", "shape": y.shape, "data": rows}}
    print(json.dumps({"test": test, "dtype": "bfloat16", "outputs": outputs}))
