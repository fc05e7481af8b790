"""The command ``posref resolve``: what a published configuration comes to, readably or as JSON."""

import argparse
import json
import math
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from posref.corpus.arguments import at_least
from posref.corpus.strict import read_object
from posref.errors import ConfigWarning, FormatError
from posref.reference._settings import Settings, settings
from posref.reference.rope_scaling import Resolved, resolve

OK: Final = 0
WIDEST: Final = 2**14
"""Rotated channels of a head that are resolved from a file; their table takes a line a pair."""

SCALARS: Final = ("rotary_dim", "base", "attention_factor", "softmax_factor")


def add_parser(subparsers: Any) -> None:
    """Add ``resolve``; it sets `run`, a function args -> exit code."""
    parser = subparsers.add_parser("resolve", help="frequencies and factors of a published config.json")
    parser.add_argument("config", type=Path, metavar="CONFIG", help="a config.json, as published")
    parser.add_argument("--seq-len", type=at_least(1), metavar="N", help="current length in tokens")
    parser.add_argument("--layer-type", metavar="T", help="layer type, where the configuration differs by it")
    parser.add_argument("--layer-index", type=at_least(0), metavar="I", help="index of the layer, from 0")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=_run)


def _run(args: argparse.Namespace) -> int:
    found, asked = resolved(args.config, args.seq_len, args.layer_type, args.layer_index)
    print(as_json(found, asked) if args.json else as_text(found, asked))
    return OK


def resolved(
    path: Path, seq_len: int | None = None, layer_type: str | None = None, layer_index: int | None = None
) -> tuple[Resolved, Settings]:
    """Return what a file that holds a configuration comes to.

    Raises
    ------
    FormatError
        If the file holds no JSON object, or asks for more channels than any head has.
    SpecError
        If the specification refuses the configuration.
    """
    config = read_object(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConfigWarning)  # they are printed with the reason, as a list
        asked = settings(config, layer_type, layer_index)
        if asked.rotary_dim > WIDEST:
            raise FormatError(str(path), f"asks for {asked.rotary_dim} rotated channels, more than {WIDEST}")
        return resolve(config=config, seq_len=seq_len, layer_type=layer_type, layer_index=layer_index), asked


def as_json(found: Resolved, asked: Settings) -> str:
    """Return everything as JSON, numbers in full."""
    record = {
        "rope_type": asked.kind,
        **{name: getattr(found, name).item() for name in SCALARS},
        "inv_freq": found.inv_freq.tolist(),
        "wavelength": [_wavelength(omega) for omega in found.inv_freq.tolist()],
        "scaling": asked.scaling,
        "sources": dict(asked.sources),
        "ignored": dict(asked.ignored),
    }
    return json.dumps(record, indent=1, allow_nan=False)


def _wavelength(omega: float) -> float | None:
    """Return the tokens of a full turn; None where there is none, or none that binary64 holds."""
    turn = 2 * math.pi / omega if omega else math.inf
    return turn if math.isfinite(turn) else None


def as_text(found: Resolved, asked: Settings) -> str:
    """Return everything as lines to read."""
    return "\n".join([*_summary(found, asked), *_keys(asked), *_table(found.inv_freq.tolist())])


def _summary(found: Resolved, asked: Settings) -> Iterator[str]:
    yield f"rope type         {asked.kind}"
    for name in SCALARS:
        yield f"{name.replace('_', ' '):<17} {_number(getattr(found, name).item())}"
    for name, value in (asked.scaling or {}).items():
        if value is not None and name != "rope_type" and not isinstance(value, list | tuple):
            yield f"  {name} = {value}"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value!r}".removesuffix(".0")


def _keys(asked: Settings) -> Iterator[str]:
    yield "read"
    for name, place in asked.sources.items():
        yield f"  {name} from {place}" if place != name else f"  {name}"
    for place, reason in asked.ignored.items():
        yield f"warning: {place} changes nothing: {reason}"


def _table(frequencies: list[float]) -> Iterator[str]:
    if not frequencies:
        yield "no rotation in this layer"
        return
    yield f"{'pair':>4}  {'inv_freq (radians a token)':<26}  tokens a turn"
    for pair, omega in enumerate(frequencies):
        wavelength = _wavelength(omega)
        turn = "at rest" if wavelength is None else f"{wavelength:.6g}"
        yield f"{pair:>4}  {omega!r:<26}  {turn}"
