"""Errors as a picture: how many times the bound, on a logarithmic scale, against the place."""

import math
from collections.abc import Callable, Sequence
from itertools import count
from typing import Final
from xml.etree import ElementTree as ET

from posref.conformance.page.tree import Content, node
from posref.conformance.plain import number
from posref.conformance.verdict import Line

WIDTH: Final = 460
HEIGHT: Final = 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 56, WIDTH - 12, 38, HEIGHT - 42
_ENDLESS: Final = 18
"""Height at which a point without a size stands: nothing is allowed there, or it is no number."""
_STRAIGHT: Final = 1000
"""A longer way than this is drawn on a logarithmic scale."""

Scale = Callable[[float], float]


class Pictures:
    """Draws pictures, each with identifiers of its own on the page."""

    def __init__(self) -> None:
        self._number = count(1)

    def draw(self, lines: Sequence[Line], title: str) -> ET.Element:
        """Return a figure of lines of the same direction, all in one picture.

        Parameters
        ----------
        lines : sequence of Line
            At least one.
        title : str
            Whose errors they are; the caption adds of what and against what.
        """
        points = sorted({point for line in lines for point in zip(line.at, line.error, strict=True)})
        own, title = next(self._number), f"{title}, in multiples of the bound, by {lines[0].along}"
        along, up = _across([at for at, _ in points]), _Up([error for _, error in points])
        picture = node(
            "svg",
            node("title", title, id=f"t{own}"),
            node("desc", _described(points, lines[0].along), id=f"d{own}"),
            *up.grid(),
            *_ticks([at for at, _ in points], along),
            node("text", lines[0].along, x=str((_LEFT + _RIGHT) // 2), y=str(HEIGHT - 6), class_="name"),
            *_marks(points, along, up.place, stems=len(lines) == 1),
            viewBox=f"0 0 {WIDTH} {HEIGHT}",
            role="img",
            aria_labelledby=f"t{own} d{own}",
        )
        return node("figure", picture, node("figcaption", title))


def _described(points: Sequence[tuple[float, float]], along: str) -> str:
    wrong = sum(error > 1 for _, error in points)
    at, error = max(points, key=lambda point: point[1])
    size = f"{number(error)} times the bound" if math.isfinite(error) else "without limit"
    return f"{wrong} of {len(points)} points above the bound; the largest error, {size}, at {at:g} ({along})."


class _Up:
    """The vertical scale: powers of ten of the bound, zero below them, errors without a size above."""

    def __init__(self, errors: Sequence[float]) -> None:
        sizes = [math.log10(error) for error in errors if 0 < error < math.inf]
        self._low = max(min([-1.0, *map(math.floor, sizes)]), -6)
        self._high = max([1.0, *map(math.ceil, sizes)])
        self._endless = any(error == math.inf for error in errors)

    def place(self, error: float) -> float:
        if error == math.inf:
            return _ENDLESS
        size = math.log10(error) if error > 0 else -math.inf
        part = (max(size, self._low - 0.5) - self._low) / (self._high - self._low)
        return _BOTTOM - 10 - part * (_BOTTOM - 10 - _TOP)

    def grid(self) -> list[Content]:
        step = max(1, round((self._high - self._low) / 5))
        powers = [
            power for power in range(int(self._low), int(self._high) + 1) if power % step == 0 and power
        ]
        shown: list[Content] = []
        for power in powers:
            shown += _level(self.place(10.0**power), _power(power), "grid")
        shown += _level(self.place(1.0), "bound", "bound")
        return shown + (_level(_ENDLESS, "\N{INFINITY}", "grid") if self._endless else [])


def _power(power: int) -> str:
    return {-1: "0.1", 1: "10", 2: "100"}.get(power, f"1e{power}")


def _level(y: float, name: str, kind: str) -> list[Content]:
    line = node("path", d=f"M{_LEFT} {y:.1f}H{_RIGHT}", class_=kind)
    return [line, node("text", name, x=str(_LEFT - 6), y=f"{y + 4:.1f}", class_=f"level {kind}-name")]


def _across(places: Sequence[float]) -> Scale:
    """Return the horizontal scale: straight over a short way, else logarithmic on both sides of 0."""
    bend = _bend(places)
    low, high = bend(min(places)), bend(max(places))
    if low == high:
        return lambda _: (_LEFT + _RIGHT) / 2
    return lambda at: _LEFT + 8 + (bend(at) - low) / (high - low) * (_RIGHT - _LEFT - 16)


def _bend(places: Sequence[float]) -> Scale:
    if max(places) - min(places) <= _STRAIGHT:
        return lambda at: at
    return lambda at: math.copysign(math.log10(1 + abs(at)), at)


def _ticks(places: Sequence[float], along: Scale) -> list[Content]:
    shown: list[Content] = []
    last = -math.inf
    for at in _round_places(min(places), max(places)):
        x = along(at)
        if x - last >= 44:
            shown.append(node("path", d=f"M{x:.1f} {_BOTTOM}v4", class_="tick"))
            shown.append(node("text", f"{at:g}", x=f"{x:.1f}", y=str(_BOTTOM + 17), class_="place"))
            last = x
    return shown


def _round_places(low: float, high: float) -> list[float]:
    """Return places to name: multiples of 1, 2 or 5, or powers of ten on both sides of 0."""
    if low == high:
        return [low]
    if high - low <= _STRAIGHT:
        step = 10.0 ** math.floor(math.log10((high - low) / 4))
        step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
        step = max(step, 1.0) if low == int(low) and high == int(high) else step
        return [index * step for index in range(math.ceil(low / step), math.floor(high / step) + 1)]
    powers = [10.0**power for power in range(1, 40)]
    all_places = [*(-power for power in reversed(powers)), 0.0, *powers]
    found = [place for place in all_places if low <= place <= high]
    return found if len(found) > 1 else [low, high]


def _marks(points: Sequence[tuple[float, float]], along: Scale, up: Scale, *, stems: bool) -> list[Content]:
    """Return the points as three paths: a dot is a line of no length with round ends."""
    shown: list[Content] = []
    for kind, chosen in (
        ("kept", [point for point in points if point[1] <= 1]),
        ("wrong", [point for point in points if point[1] > 1]),
    ):
        ends = dict.fromkeys((f"{along(at):.1f}", f"{up(error):.1f}") for at, error in chosen)
        if stems and ends:
            stalks = "".join(f"M{x} {_BOTTOM}V{y}" for x, y in ends)
            shown.append(node("path", d=stalks, class_=f"stem {kind}"))
        if ends:
            shown.append(node("path", d="".join(f"M{x} {y}h0" for x, y in ends), class_=f"dot {kind}"))
    return shown
