"""The page on performance: its tables say what the stored measurements say, and which targets were missed."""

import json
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
sys.path.insert(0, str(DOCS / "_ext"))

import site_performance as site  # noqa: E402

from posref.bench import curves  # noqa: E402
from posref.corpus.sweep_command import BASES, POSITIONS, WIDTHS  # noqa: E402

HELD = json.loads((DOCS / "performance.json").read_text("ascii"))


def test_every_section_but_the_gpu_was_measured():
    assert set(HELD) >= {"format", "ratios", "curves", "memory", "runs", "sweep"}
    for name in set(HELD) - {"format"}:
        assert HELD[name]["versions"]["numpy"]
        assert HELD[name]["machine"]["processor"]


def test_ratios_and_curves_were_measured_on_one_thread():
    assert {HELD[name]["machine"]["threads"] for name in ("ratios", "curves")} == {"1"}


def test_every_target_was_measured():
    measured = {(row["work"], row["against"]) for row in HELD["ratios"]["values"] if "ratios" in row}
    assert [one for one in site.TARGETS if (one.work, one.against) not in measured] == []


def test_curves_go_from_ten_thousand_to_a_thousand_million():
    for work in curves.WORKS:
        sizes = [row["elements"] for row in HELD["curves"]["values"] if row["work"] == work]
        assert sizes == sorted(sizes)
        assert sizes[0] <= 10**4
        assert sizes[-1] >= 0.99e9
    positions = {row["position"] for row in HELD["curves"]["values"]} - {0}
    assert positions == {2**exponent for exponent in curves.EXPONENTS}


def test_the_sweep_was_of_the_whole_range():
    for row in HELD["sweep"]["values"]:
        assert (row["positions"], row["bases"], row["widths"]) == (POSITIONS, list(BASES), list(WIDTHS))
        assert row["values"] == POSITIONS * len(BASES) * sum(WIDTHS)
        assert row["unfaithful"] == 0


def test_no_operation_needs_64_mib_beyond_its_arrays():
    assert all(row["beyond"] < 64 * site.MIB for row in HELD["memory"]["values"])


def ratio(work, against, *found):
    return {"work": work, "against": against, "ratios": list(found)}


def made(*rows, **sections):
    here = {"machine": {"processor": "P", "cores": 2, "memory_gib": 4.0, "system": "S", "threads": "1"},
            "versions": {"numpy": "2.0"}}  # fmt: skip
    return {name: {**here, "values": values} for name, values in {"ratios": list(rows), **sections}.items()}


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (2.9, "2.90: reached"),
        (3.0, "3.00: reached"),
        (3.1, "3.10: **not reached**: products, sums and rounding"),
    ],
)
def test_a_target_of_copies(value, said):
    text = site.targets(made(ratio("rope.rotate adjacent", "copies", 0.1, value, 99.0)))
    assert f"| `rope.rotate adjacent` | copies | ≤ 3 | {said}" in text
    assert "| `rope.rotate half` | copies | ≤ 5 | not measured |" in text


def test_a_missed_target_beside_a_framework_says_what_it_would_take():
    rows = [ratio("rope.rotate half", "copies", 4.0), ratio("rope.rotate half", site.TORCH, 2.5)]
    assert "2.50: **not reached**: it would have to take 2.0 copies of its result, instead of 4.0" in (
        site.targets(made(*rows))
    )
    rows[1] = ratio("rope.rotate half", site.TORCH, 5.0)
    assert f"| {site.TORCH} | ≥ 5 | 5.00: reached |" in site.targets(made(*rows))


def test_the_gpu_is_told_by_its_slowest_kernel():
    work = {"what": "kernel", "share": 0.9}
    values = {"rotations": {"rows": [
        {**work, "work": "rope.rotate float32 half"},
        {**work, "work": "rope.rotate bfloat16 half", "share": 0.8},
        {**work, "work": "rope.rotate bfloat16 half", "what": "call", "share": 0.1},
        {**work, "work": "rope.rotate float16 half", "share": 0.2},
    ]}}  # fmt: skip
    assert "80% at least: **not reached**" in site.targets(made(gpu=values))
    values["rotations"]["rows"][1]["share"] = 0.86
    assert "86% at least: reached" in site.targets(made(gpu=values))
    assert "not measured: no GPU was there" in site.targets(made())


def test_whole_commands():
    runs = [{"run": "core build", "wall": 181.0, "cpu": 1.0}, {"run": "check", "wall": 99.0, "cpu": 19.0}]
    text = site.targets(made(runs=runs))
    assert "| < 180 | 181: **not reached** |" in text
    assert "| < 20 | 19: reached |" in text


def test_a_library_that_was_missing_is_named():
    row = {"work": "w", "against": "jax jit", "missing": "jax"}
    assert "| `w` | jax jit | jax was not installed |" in site.ratios(made(row))


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_the_power_of_growth(exponent):
    points = [{"work": "w", "elements": n, "position": 0, "ns": n ** (exponent - 1), "copies": 1.0}
              for n in (10, 10**6, 10**7, 10**8)]  # fmt: skip
    points[0]["ns"] = 1e9  # what is below the level does not count
    assert f"power of their number: {exponent:.2f} for `w`" in site.curve(made(curves=points))


def test_the_operations_that_need_most_memory_come_first():
    rows = [{"operation": f"o{n}", "input": site.MIB, "output": 2 * site.MIB, "beyond": n * site.MIB}
            for n in range(12)]  # fmt: skip
    text = site.memory(made(memory=rows))
    assert text.index("`o11`") < text.index("`o10`") < text.index("`o2`")
    assert "`o1`" not in text
    assert "The other 2 of 12 need less." in text


def test_the_tables_are_those_of_the_page():
    page = (DOCS / "performance.md").read_text("utf-8")
    assert sorted(f"_generated/{name}" for name in site.pages()) == sorted(
        line.partition("} ")[2] for line in page.splitlines() if line.startswith("```{include}")
    )


def test_the_figure_is_drawn_from_the_file(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    monkeypatch.syspath_prepend(str(DOCS))
    from figures import performance

    performance.draw(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text("utf-8")
    assert "cost over size" in text or "<path" in text
    other = json.loads(json.dumps(HELD))
    for point in other["curves"]["values"]:
        point["ns"] *= 10 if point["elements"] > 10**7 else 1
    (tmp_path / "other.json").write_text(json.dumps(other), "ascii")
    monkeypatch.setattr(performance, "FILE", tmp_path / "other.json")
    performance.draw(tmp_path / "b.svg")
    assert (tmp_path / "b.svg").read_bytes() != (tmp_path / "a.svg").read_bytes()
