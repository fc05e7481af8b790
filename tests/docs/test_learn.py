"""What the pages of the Learn section state in words and numbers, by other means than the reference."""

import itertools
import math
import re
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import posref
from posref.corpus import load_vectors
from posref.operation import schemes

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS))
WIDTH, BASE, TRAINED, FACTOR = 96, 10000.0, 4096, 32
PAIRS = WIDTH // 2


def page(name):
    """Return a page with its white space made single."""
    return " ".join((DOCS / "learn" / f"{name}.md").read_text("utf-8").split())


WHY, COMPARING, LONG = map(page, ("why-positions", "comparing", "long-context"))
FREQUENCIES = [BASE ** (-2 * pair / WIDTH) for pair in range(PAIRS)]
TURNS = [TRAINED * frequency / (2 * math.pi) for frequency in FREQUENCIES]


def test_the_row_of_the_dog():
    dog, bites, man = (1, 0), (0, 1), (1, 1)
    weights = [math.exp(dog[0] * key[0] + dog[1] * key[1]) for key in (dog, bites, man)]
    row = [
        sum(weight * key[column] for weight, key in zip(weights, (dog, bites, man), strict=True))
        / sum(weights)
        for column in (0, 1)
    ]
    assert f"$({row[0]:.4f}, {row[1]:.4f})$" in WHY


def alike(rows, others):
    """Whether values agree in half of their digits: rounding costs fewer, another content more."""
    return np.abs(rows - others).max() <= 2.0**-26 * np.abs(others).max()


def stack(x, mask, layers):
    """Return `layers` blocks of attention and a row-wise map, residuals included."""
    rng = np.random.default_rng(12)
    for _ in range(layers):
        q, k, v = (x @ rng.normal(size=(6, 6)) for _ in range(3))
        x = x + posref.attention.output(q, k, v, None, mask, scale=0.4)
        x = x + np.tanh(x @ rng.normal(size=(6, 6)))
    return x


def test_a_stack_without_positions_reads_a_multiset():
    tokens = np.random.default_rng(1).normal(size=(5, 6))
    tokens[3] = tokens[1]
    rows = stack(tokens, None, 3)
    assert alike(rows[3], rows[1])
    assert not alike(rows[2], rows[1])
    order = [4, 1, 0, 2, 3]
    assert alike(stack(tokens[order], None, 3), rows[order])


@pytest.mark.parametrize(("layers", "blind"), [(1, True), (2, False)])
def test_one_causal_layer_is_blind_to_the_order_of_the_past(layers, blind):
    tokens, t = np.random.default_rng(2).normal(size=(5, 6)), np.arange(5)
    causal = posref.attention.causal_mask(t, t)
    ends = [stack(tokens[[*past, 4]], causal, layers)[-1] for past in itertools.permutations(range(4))]
    assert all(alike(end, ends[0]) for end in ends) is blind


def bfloat16(value):
    """Return a positive rational with 8 significant bits, ties to even."""
    exponent = 0
    while value * 2**exponent < 128:
        exponent += 1
    return Fraction(round(value * 2**exponent), 2**exponent)


def test_where_bfloat16_stops_counting():
    first = next(
        t for t in itertools.count(1) if bfloat16(Fraction(1, t + 1)) == bfloat16(Fraction(1, t + 2))
    )
    assert f"Rounded to bfloat16, tokens {first} and {first + 1} read the same number." in WHY


def test_the_number_of_schemes():
    assert "there are seventeen ways on this site" in COMPARING
    assert len(set(schemes()) - {"attention", "positions"}) == 17


def printed(text, name):
    """Return a number of the table of parameters as the page prints it."""
    return int(re.search(rf"^{re.escape(name)} +([\d,]+)$", text, re.MULTILINE)[1].replace(",", ""))


def test_counts_are_sizes_of_arrays_that_the_reference_takes():
    text = (DOCS / "learn" / "comparing.md").read_text("utf-8")
    layers, width, heads, head, length = 32, 4096, 32, 128, 8192
    t = np.arange(2)
    table = np.zeros((32, heads))
    posref.t5.bias(table, t, t, num_buckets=32, max_distance=128, bidirectional=False)
    assert printed(text, "T5, 32 buckets, one table") == table.size
    rows, x = np.zeros((33, head)), np.zeros((2, head))
    index = posref.shaw.index(np.array([0, 40]), np.array([0, 40]), clip_left=16, clip_right=16)
    assert (index.min(), index.max()) == (0, len(rows) - 1)
    posref.shaw.scores(x, x, rows, index, scale=1.0)
    posref.shaw.output(np.eye(2), x, rows, index)
    assert printed(text, "Shaw, clip 16, keys and values") == layers * 2 * rows.size
    learned = np.broadcast_to(np.float64(0), (length, width))
    posref.learned.lookup(learned, np.array([length - 1]))
    assert printed(text, "learned table") == learned.size
    u, x = np.zeros((heads, head)), np.zeros((heads, 2, head))
    distances = np.zeros((heads, 3, head))
    posref.transformer_xl.scores(x, x, distances, np.arange(-1, 2), u, u, t, t, scale=1.0)
    assert printed(text, "Transformer-XL") == layers * (2 * u.size + width * heads * head)


@pytest.mark.parametrize("distance", [0, 7, 5000])
def test_what_the_penalty_of_alibi_changes(distance):
    near, far, slope = 3.0, 4.5, 0.25
    keys = np.array([0, 11])
    bias = posref.alibi.bias(keys[1:] + distance, keys, np.array([slope]), form="neg_distance", future="keep")
    scores = np.array([far, near]) + bias[0, 0]
    assert scores[1] - scores[0] == near - far + slope * 11  # the logarithm of the ratio of their weights


def diagonals(values):
    """Return the diagonals of two elements and more."""
    return [np.diagonal(values, k) for k in range(2 - len(values), len(values) - 1)]


def test_the_maps_are_what_the_caption_says():
    pytest.importorskip("matplotlib")
    from figures import learn_maps

    titles, maps = zip(*learn_maps.maps(), strict=True)
    constant = [
        [np.ptp(one) <= 2.0**-26 * np.abs(values).max() for one in diagonals(values)] for values in maps
    ]
    assert not any(map(any, constant[:2]))
    assert all(map(all, constant[2:]))
    shaw = dict(zip(titles, maps, strict=True))["Shaw, clip 8, one query"][0]
    assert len(set(shaw[8:])) == 1
    assert len(set(shaw[:9])) == 9


def test_wavelengths_and_turns():
    shown = (DOCS / "learn" / "long-context.md").read_text("utf-8")
    for pair in (0, 15, 33, 34, 47):
        wave = 2 * math.pi / FREQUENCIES[pair]
        line = f"pair {pair:2}: wavelength {wave:8.1f}, turns {TURNS[pair]:8.4f}"
        assert f"\n{line}\n" in shown
    slow = [pair for pair in range(PAIRS) if TURNS[pair] < 1]
    assert slow == list(range(34, 48))
    assert "Fourteen pairs, 34 to 47, have not made one turn" in LONG
    assert f"gone round its circle {int(TURNS[0])} times" in LONG
    assert round(1 / TURNS[47]) == 13
    assert "seen a thirteenth of it" in LONG


@pytest.mark.parametrize("factor", [1.5, 4.0])
@pytest.mark.parametrize("turns", [0.2, 0.7, 1.0, 3.4])
@pytest.mark.parametrize("divisor", [1.0, 1.4, 1.5, 3.9, 4.0, 9.0])
def test_which_angles_are_new(turns, divisor, factor):
    """By going through the angles that are asked for, on a fine grid."""
    seen = np.zeros(1000, dtype=bool)
    seen[np.floor(1000 * np.linspace(0, turns, 9000, endpoint=False) % 1000).astype(int)] = True
    asked = factor * turns / divisor
    new = not seen[np.floor(1000 * np.linspace(0, asked, 40000, endpoint=False) % 1000).astype(int)].all()
    assert new is not (turns >= 1 or divisor >= factor)


def test_numbers_of_ntk():
    base = BASE * FACTOR ** (WIDTH / (WIDTH - 2))
    assert f"$b' = {base:.0f}$" in LONG
    divisors = [FACTOR ** (2 * pair / (WIDTH - 2)) for pair in range(PAIRS)]
    spared = [pair for pair in range(34, PAIRS) if divisors[pair] >= FACTOR]
    assert spared == [47]
    assert "the pairs 34 to 46 have made less than a turn and are divided by less than $s$" in LONG
    needed = FACTOR ** ((WIDTH - 2) / (2 * 34))
    assert f"that is $\\alpha > {math.floor(needed * 10) / 10}$" in LONG


def test_numbers_of_dynamic_ntk():
    assert f"the number {FACTOR**2 - FACTOR + 1}, which slows even pair 34 enough" in LONG
    assert 993 ** (2 * 34 / (WIDTH - 2)) > FACTOR
    exponent = 2 * 24 / WIDTH
    angles = [
        1000 * (BASE * (length / TRAINED) ** (WIDTH / (WIDTH - 2))) ** -exponent for length in (8192, 16384)
    ]
    assert f"\n{angles[0]:.2f} {angles[1]:.2f}\n" in (DOCS / "learn" / "long-context.md").read_text("utf-8")
    assert "Pair 24 is off by a third of a turn" in LONG
    assert round((angles[0] - angles[1]) / (2 * math.pi), 3) == 0.333


def test_numbers_of_yarn():
    ends = [WIDTH * math.log(TRAINED / (2 * math.pi * beta)) / (2 * math.log(BASE)) for beta in (32, 1)]
    assert f"c(32) = {ends[0]:.2f} , \\quad c(1) = {ends[1]:.2f}" in LONG
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    assert f"rounded outwards to {low} and {high}" in LONG
    keeps = ((high - 24) / (high - low), (TURNS[24] - 1) / (32 - 1))
    by_index, by_turns = (1 / (keep + (1 - keep) / FACTOR) for keep in keeps)
    assert f"in pair 24 by {by_index:.2f} against {by_turns:.2f}" in LONG


def test_numbers_of_the_factor():
    assert Fraction(17, 12) == Fraction((FACTOR * TRAINED).bit_length() - 1, TRAINED.bit_length() - 1)
    assert f"it is $17/12 = {17 / 12:.4f}$" in LONG
    assert f"$F^2 = {(1 + 0.1 * math.log(FACTOR)) ** 2:.4f}$" in LONG
    for count, score in ((64, math.log(64)), (256, math.log(64) * 8 / 6)):
        one = np.eye(count)[:, :1]
        weight = posref.attention.output(np.array([[score]]), one, one, scale=1.0)
        rounded = (2 * count + 32) * 2.0**-53  # two sums of `count` terms, and a score below 6
        assert float(weight[0, 0]) == pytest.approx(count / (2 * count - 1), rel=rounded, abs=0)


def test_numbers_of_longrope():
    tests = load_vectors(operations="rope_scaling.resolve").tests
    known = next(test.params["config"] for test in tests if test.id == "model-phi-3.5-long")["rope_scaling"]
    longer, short = known["long_factor"], known["short_factor"]
    assert f"starts with {longer[0]:.2f} and ends with {longer[-1]:.2f}" in LONG
    assert f"it ends with {short[-1]:.2f}" in LONG
    assert len(longer) == PAIRS
    assert min(longer[34:]) > FACTOR


def counted(name):
    """Return the three counts that the page prints for a ladder."""
    text = (DOCS / "learn" / "long-context.md").read_text("utf-8")
    return tuple(map(int, re.search(rf"^{name} +(\d+) +(\d+) +(\d+)$", text, re.MULTILINE).groups()))


def test_pairs_are_counted_by_their_turns():
    slow = sum(turns < 1 for turns in TURNS)
    assert counted("plain RoPE") == (PAIRS, 0, slow)
    assert counted("interpolation") == (0, PAIRS, 0)
    assert counted("NTK") == counted("dynamic, factor 1") == (1, 1, slow - 1)
    assert counted("YaRN") == (15 + 1, slow, 0)
    assert counted("Llama 3") == (sum(turns > 4 for turns in TURNS), slow, 0)
    assert counted("LongRoPE") == (0, 0, 0)


def test_the_figure_colors_pairs_as_the_page_counts_them():
    pytest.importorskip("matplotlib")
    from figures import learn_ladders

    found = {title: learn_ladders.kinds(ladder) for title, ladder in learn_ladders.ladders().items()}
    rows = ("interpolation", "NTK", "dynamic, factor 1", "YaRN", "Llama 3", "LongRoPE")
    for (kept, slowed, new), row in zip(found.values(), rows, strict=True):
        assert (kept.sum(), new.sum()) == (counted(row)[0], counted(row)[2])
        assert np.all(kept.astype(int) + slowed + new == 1)
