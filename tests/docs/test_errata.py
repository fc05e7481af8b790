"""Each erratum of the field has a number or a rule, and the numbers are computed here once more."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import posref
from posref import operation
from posref.corpus import clauses

SPEC = Path(__file__).parents[2] / "spec"
TEXT = (SPEC / "errata.md").read_text("utf-8")
ENTRY = re.compile(r"^\*\*E(\d+)\*\* \(([a-z-]+)\)\. (.+)\n→ (.+)$", re.MULTILINE)
ENTRIES = {found[2]: found[4] for found in ENTRY.finditer(TEXT)}
FAST, SLOW = 2 * math.pi, 2 * math.pi * 10000 ** (1 - 2 / 128)
ITEMS = {
    "J1": ("fast", "equivariant", "representations"),
    "J2": ("neighbors",),
    "J3": ("interpolation-attribution", "yarn"),
    "J4": ("terms", "same-score"),
    "J5": ("conjugate", "difference", "index"),
    "J6": ("slopes", "parameters", "scale"),
    "J7": ("wavelength", "extension", "finite", "interpolation-forms", "odd", "layout", "periods"),
    "J8": ("launch", "disclosure", "kernel", "bands", "decay"),
}
"""What the map of requirements asks to be corrected, and the errata that do it."""


def similarity(dim):
    rows = posref.sinusoidal.encode(
        np.array([1000, 1001]), dim=dim, base=10000.0, denominator="dim", layout="sin_cos", odd="error"
    )
    return float(rows[0] @ rows[1]) / (dim / 2)


def spread():
    """Return the share of float32 angles that differ between two spellings, and by how much."""
    ladder = posref.rope.inv_freq(rotary_dim=128, base=10000.0, dtype="float32")
    positions, factor = np.arange(32768, dtype=np.float32)[:, None], np.float32(3)
    divided, moved = positions * (ladder / factor), (positions / factor) * ladder
    return np.mean(divided != moved), np.abs(divided.astype(np.float64) - moved).max()


def products():
    """Return one score at two shifted pairs of positions, right and by the plain complex product."""
    q, k = complex(1, 2), complex(3, -1)
    right = [((q * np.exp(1j * m)) * (k * np.exp(1j * n)).conjugate()).real for m, n in ((0, 3), (2, 5))]
    # three complex products and two points of the circle, a unit roundoff or two each, on both sides
    assert abs(right[0] - right[1]) <= 2 * 8 * 2.0**-53 * abs(q) * abs(k)
    return [right[0]] + [(q * k * np.exp(1j * (m + n))).real for m, n in ((0, 3), (2, 5))]


def turned(pairing):
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    return posref.rope.apply(x, np.array([1]), rotary_dim=4, base=10000.0, pairing=pairing)[0, 0]


def score(key, distance):
    named = {"rotary_dim": 2, "base": 10000.0, "pairing": "half"}
    q, k = np.array([[1.0, 0.0]]), np.array([key])
    return posref.rope.score(q, k, np.array([0]), np.array([distance]), **named)[0, 0]


def transposed(distance):
    """Return q R k of the unit vectors for the opposite difference, from the matrix itself."""
    at = np.array([-distance])
    return posref.rope.matrix(at, rotary_dim=2, base=10000.0, pairing="half")[0][0, 1]


def launched():
    """Return what the published configuration of Llama 2 says of its positions."""
    config = json.loads((SPEC / "models" / "llama-2.json").read_text("utf-8"))["config"]
    assert config["rope_scaling"] is None
    return [f"{config['max_position_embeddings']} trained", f"base {config['rope_theta']:.0f} and no scaling"]


def with_a_factor():
    """Return how many operations of rope_scaling take a factor."""
    entries = [entry for entry in operation.signatures().values() if entry.scheme == "rope_scaling"]
    return sum("factor" in [param.name for param in entry.parameters] for entry in entries)


def ones(distance):
    return sum(math.cos(distance * 10000 ** (-2 * i / 128)) for i in range(64))


def ratio_of_slopes():
    closed = 2.0 ** (-8 * np.arange(1, 113) / 112)
    many = posref.alibi.slopes(num_heads=112, bias_max=8.0)
    return float(np.maximum(many / closed, closed / many).max())


def causal(tokens):
    x = np.array(tokens)[:, None]
    t, nothing = np.arange(len(tokens)), np.zeros((len(tokens), 1))
    mask = posref.attention.causal_mask(t, t)
    return posref.attention.output(nothing, nothing, x, None, mask, scale=1.0)[:, 0]


def attended():
    x = np.array([[0.0], [1.0]])
    return posref.attention.output(x, x, x, scale=1.0)[:, 0]


def yarn():
    return posref.rope_scaling.yarn(
        rotary_dim=8,
        base=10000.0,
        factor=4.0,
        original_max_position_embeddings=4096,
        beta_fast=32.0,
        beta_slow=1.0,
        ramp="index",
        truncate=True,
        extrapolation_factor=1.0,
        attention_factor=1.0,
        mscale=None,
        mscale_all_dim=None,
        mscale_rule=None,
    ).inv_freq[1]


def learned(scheme):
    """Return how many tensors a scheme takes that none of its own operations makes."""
    made = {output.name for entry in operation.signatures().values() for output in entry.outputs}
    entries = [entry for entry in operation.signatures().values() if entry.scheme == scheme]
    return sum(
        tensor.role in ("main", "table") and tensor.name not in made
        for entry in entries
        for tensor in entry.inputs
    )


COMPUTED = {
    "equivariant": lambda: (
        [f"outputs {a:g}, {b:g}" for a, b in (causal([1.0, 2.0]),)]
        + ["give {:g}, {:g}".format(*causal([2.0, 1.0]))]
    ),
    "representations": lambda: ["{:g} and {:.6f}".format(*attended())],
    "terms": lambda: [f"{math.sin(0) * math.sin(1):.3f} at", f"{math.sin(1) * math.sin(2):.3f} at"],
    "same-score": lambda: [f"{score([0.0, 1.0], 3):.6f}", f"{score([1.0, 0.0], 3):.6f}"],
    "fast": lambda: [f"{FAST:.5f}", f"{SLOW:.1f}"],
    "neighbors": lambda: [f"{similarity(512):.3f}", f"{similarity(64):.3f}"],
    "wavelength": lambda: [f"{FAST * 10000:.1f}", f"{SLOW:.1f}", f"{FAST * 10000 ** (1 - 2 / 512):.1f}"],
    "index": lambda: [f"0 to {8 // 2 - 1};", f"{10000.0 ** (-2 * 4 / 8):.4f}"],
    "odd": lambda: [f"{len(range(0, 5, 2))} columns", f"{len(range(1, 5, 2))} for"],
    "periods": lambda: (
        [f"{2048 / (FAST * 10000 ** (2 * i / 128)):.9g}" for i in (0, 20, 40, 62)] + ["18.32947744950..."]
    ),
    "bands": lambda: [f"{n * 2048 / (FAST * 10000 ** (124 / 128)):.{d}g}" for n, d in ((1, 9), (8, 6))],
    "conjugate": lambda: [f"{value:.6f}" for value in products()],
    "difference": lambda: [f"is {score([0.0, 1.0], 3):.6f}", f"give {transposed(3):.6f}"],
    "layout": lambda: [f"{turned(pairing):.6f} under `{pairing}`" for pairing in ("adjacent", "half")],
    "decay": lambda: [f"{ones(n):.4f} at distance {n}" for n in (11, 12)],
    "extension": lambda: [f"{SLOW:.1f}", f"{8192 / SLOW:.6f}", f"{65536 / SLOW:.6g}"],
    "finite": lambda: [f"{math.sin(1000000):.6f}"],
    "interpolation-attribution": lambda: [f"{100 ** (63 / 64):.4f}", f"{100 / 16:g}"],
    "yarn": lambda: [
        f"{yarn():g} under YaRN",
        f"{posref.rope_scaling.ntk(rotary_dim=8, base=10000.0, factor=4.0).inv_freq[1]:.6g} under NTK",
    ],
    "interpolation-forms": lambda: [f"{100 * spread()[0]:.1f} %", f"{spread()[1]:.6f}"],
    "launch": launched,
    "disclosure": lambda: [f"factor of {131072 // 4096},", f"{with_a_factor()} operations"],
    "kernel": lambda: [f"{(131072 // 4096) ** 2} times", f"{131072 // 4096} times"],
    "slopes": lambda: [f"{2 ** (-8 / 12):.6f}", f"{ratio_of_slopes():.1f} times"],
    "parameters": lambda: [f"{learned('alibi')} numbers"],
    "scale": lambda: [f"{-0.5 * 4:g} and", f"{-0.5 * 4 / math.sqrt(64):g}."],
}


def test_numbers_are_dense_and_names_unique():
    found = list(ENTRY.finditer(TEXT))
    assert [int(entry[1]) for entry in found] == list(range(1, len(found) + 1))
    assert len(ENTRIES) == len(found) == TEXT.count("\n→ ") >= 26


def test_every_erratum_is_settled_by_a_number():
    assert set(COMPUTED) == set(ENTRIES)


def test_every_item_that_is_asked_for_has_its_erratum():
    asked = [slug for slugs in ITEMS.values() for slug in slugs]
    assert sorted(asked) == sorted(ENTRIES)


@pytest.mark.parametrize("slug", sorted(COMPUTED))
def test_the_number(slug):
    missing = [number for number in COMPUTED[slug]() if number not in ENTRIES[slug]]
    assert missing == [], ENTRIES[slug]


def test_clauses_that_are_named_exist():
    named = set(re.findall(r"(?<![\w.])([a-z][a-z0-9_]*\.C\d+)", TEXT))
    assert named
    assert named - set(clauses.clauses()) == set()
