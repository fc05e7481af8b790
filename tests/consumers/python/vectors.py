"""The vector files, read with nothing but the standard library: python vectors.py FOLDER [--wrong]

FOLDER is the root of a corpus. Prints what is wrong, then the counts; exit code 1 if anything is.
"""

import json
import math
import struct
import sys
from pathlib import Path

DIGITS = {"float64": 16, "float32": 8, "bfloat16": 4, "float16": 4}
CODES = {"float64": ">d", "float32": ">f", "float16": ">e"}
WRONG = "--wrong" in sys.argv  # the twin: cosines before sines


def number(digits, dtype):
    """Read one element from its bits; bfloat16 is the upper half of float32."""
    if dtype == "bfloat16":
        digits, dtype = digits + "0000", "float32"
    return struct.unpack(CODES[dtype], bytes.fromhex(digits))[0]


def tensor(stored):
    """Return the elements of a tensor in one list, row after row."""
    if stored["dtype"] not in DIGITS:
        return [value for row in stored["data"] for value in row]
    width = DIGITS[stored["dtype"]]
    rows = "".join(stored["data"])
    return [number(rows[at : at + width], stored["dtype"]) for at in range(0, len(rows), width)]


def right(got, want):
    """Compare: equal, or no farther away than the bound, which is stored as bfloat16."""
    bounds = tensor({"dtype": "bfloat16", "data": want["bound"]})
    data = tensor(want)
    return len(got) == len(data) and all(
        value == real or abs(value - real) <= bound
        for value, real, bound in zip(got, data, bounds, strict=True)
    )


def encode(params, inputs):  # call yours instead
    """Return the sinusoidal rows of some positions, for even widths and the ladder over the width."""
    dim, base = params["dim"], number(params["base"]["float64"], "float64")
    if params["denominator"] != "dim" or dim % 2 or base <= 1:
        return None
    sine, cosine = (math.cos, math.sin) if WRONG else (math.sin, math.cos)
    values = []
    for t in tensor(inputs["positions"]):
        angles = [t * base ** (-2 * i / dim) for i in range(dim // 2)]
        pairs = [(sine(angle), cosine(angle)) for angle in angles]
        if params["layout"] == "interleaved":
            values += [value for pair in pairs for value in pair]
        else:
            halves = [[s for s, _ in pairs], [c for _, c in pairs]]
            for half in halves if params["layout"] == "sin_cos" else halves[::-1]:
                values += half
    return values


def main(folder):
    """Judge `encode` in float64 by every case that it can be asked."""
    counts = {"right": 0, "wrong": 0, "skipped": 0}
    document = json.loads(Path(folder, "core", "sinusoidal", "encode.json").read_text("ascii"))
    for group in document["groups"]:
        for test in group["tests"]:
            got = encode(group["params"], test["inputs"])
            (want,) = (output["float64"] for output in test["expected"].values())
            verdict = "skipped" if got is None else "right" if right(got, want) else "wrong"
            counts[verdict] += 1
            if verdict == "wrong":
                print("wrong:", test["id"], "-", test["comment"])
    print(", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["wrong"] or not counts["right"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
