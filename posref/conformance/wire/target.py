"""A program, or its results, as an implementation under test: calls become requests, replies answers."""

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final

import numpy as np

from posref.adapters import BrokenError, Implementation, Unsupported
from posref.conformance.wire import axes
from posref.conformance.wire.messages import (
    INTEGERS,
    Array,
    Block,
    Close,
    Facts,
    Open,
    Outputs,
    Refusal,
    Reply,
    Run,
    Skip,
    Step,
)
from posref.conformance.wire.program import Program
from posref.errors import SpecError
from posref.operation import Signature, signature

_KEPT: Final = 200
"""Characters of a program's own message that a report quotes."""


class Refused(SpecError):
    """What a program says instead of answering: an error class, and the parameter at fault."""

    def __init__(self, refusal: Refusal) -> None:
        parts = (refusal.kind, f"of {refusal.parameter}" if refusal.parameter else "", refusal.message)
        self.text = clean(" ".join(filter(None, parts)))
        super().__init__("", refusal.parameter, refusal.message, refusal.kind)

    def __str__(self) -> str:
        return self.text


def clean(text: str) -> str:
    """Return a program's message on one line, printable, cut to a sensible length."""
    shown = " ".join("".join(one if one.isprintable() else " " for one in text).split())
    return shown if len(shown) <= _KEPT else shown[: _KEPT - 4] + " ..."


def wanted(entry: Signature, dtype: str) -> dict[str, str]:
    """Return the dtype in which each output must come back."""
    kinds = {"int": "int64", "bool": "bool"}
    return {one.name: kinds.get(one.dtype, dtype) for one in entry.outputs}


def asked_in(entry: Signature, dtype: str) -> str:
    """Return the dtype that a request names: int64 where no output is a float."""
    return "int64" if entry.integer else dtype


def answer(entry: Signature, reply: Reply, want: Mapping[str, str]) -> dict[str, Block]:
    """Return the outputs in a reply; raise what it says instead."""
    if isinstance(reply, Skip):
        raise Unsupported(clean(reply.reason))
    if isinstance(reply, Refusal):
        raise Refused(reply)
    if not isinstance(reply, Outputs):
        raise BrokenError("it has no outputs")
    return {name: _compared(block, want[name]) for name, block in reply.tensors.items()}


def _compared(block: Block, want: str) -> Block:
    """Return an integer output in the dtype wanted, if that has its values; the width is not compared."""
    if want not in ("int64", "bool") or block.dtype not in INTEGERS:
        return block
    if want == "bool" and not np.isin(block.values, (0, 1)).all():
        return block
    return Block(want, block.values.astype(np.bool_ if want == "bool" else np.int64))


def split(entry: Signature, outputs: Mapping[str, Block]) -> Any:
    """Return outputs as a callable of `posref.adapters.Implementation` does."""
    found = tuple(outputs[one.name] for one in entry.outputs)
    return found if len(found) > 1 else found[0]


def named(entry: Signature, inputs: tuple[Any, ...]) -> dict[str, Block]:
    """Return inputs by name, absent ones left out."""
    return {one.name: block for one, block in zip(entry.inputs, inputs, strict=True) if block is not None}


def write(values: Array, dtype: str) -> Block:
    """Return values as a tensor to send."""
    return Block(dtype, values)


def read(block: Block) -> tuple[str, Array]:
    """Return the dtype and the values of a tensor."""
    return block.dtype, block.values


class Player:
    """Puts calls to a program; what it says is in the axes' order of the vectors."""

    def __init__(self, program: Program, facts: Facts) -> None:
        self._program, self._facts = program, facts
        self._test = self._dtype = ""
        self._objects: list[tuple[str, int]] = []

    @contextmanager
    def around(self, test: str, dtype: str) -> Iterator[None]:
        """Remember which test is put, and let go of the objects made for it."""
        self._test, self._dtype, self._objects = test, dtype, []
        try:
            yield
        except Exception:
            with suppress(BrokenError):
                self._close()
            raise
        self._close()

    def _close(self) -> None:
        for name, start in self._objects:
            if start == self._program.starts:
                self._program.ask(Close(name))

    def run(self, entry: Signature, *inputs: Any, **params: Any) -> Any:
        """Call an operation with all its parameters."""
        if entry.generator:
            params.pop("dtype", None)
        own = named(entry, inputs)
        want = wanted(entry, self._dtype)
        dtype = asked_in(entry, self._dtype)
        sent = axes.outwards(self._facts.axes, entry, own)
        reply = self._program.ask(Run(self._test, entry.name, params, dtype, sent, want))
        return self._answer(entry, reply, own, want)

    def make(self, entry: Signature, **params: Any) -> Any:
        """Open an object and return how it is called."""
        name = f"object-{len(self._objects)}"
        reply = self._program.ask(Open(name, entry.name, params))
        if isinstance(reply, Skip | Refusal):
            answer(entry, reply, {})
        self._objects.append((name, self._program.starts))
        return partial(self._step, entry, name)

    def _step(self, entry: Signature, name: str, *inputs: Any, seq_len: int | None = None, **_: Any) -> Any:
        own = named(entry, inputs)
        want = wanted(entry, self._dtype)
        dtype = asked_in(entry, self._dtype)
        sent = axes.outwards(self._facts.axes, entry, own)
        reply = self._program.ask(Step(self._test, name, dtype, sent, want, seq_len))
        return self._answer(entry, reply, own, want)

    def _answer(
        self, entry: Signature, reply: Reply, own: Mapping[str, Block], want: Mapping[str, str]
    ) -> Any:
        return split(entry, axes.inwards(self._facts.axes, entry, answer(entry, reply, want), own))


class Life:
    """Around a whole run: the program ends with it, and how it ended is warned of."""

    def __init__(self, program: Program) -> None:
        self._program = program

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._program.close(killed=kind is not None)
        for remark in self._program.remarks:
            warnings.warn(f"{self._program.args[0]}: {remark}", RuntimeWarning, stacklevel=2)


def described(facts: Facts, **hooks: Any) -> Implementation:
    """Return an implementation with these facts and hooks."""
    return Implementation(
        name=facts.name,
        version=facts.version,
        dtypes=facts.dtypes,
        write=write,
        read=read,
        claims=facts.claims,
        lacks=frozenset(facts.lacks),
        flush_subnormals=facts.flush_subnormals,
        **hooks,
    )


def implementation(program: Program) -> Implementation:
    """Start a program and return it as an implementation under test, which ends it with its `life`."""
    facts = program.open()
    player = Player(program, facts)
    return described(
        facts,
        operations={name: partial(player.run, signature(name)) for name in facts.operations},
        sessions={name: partial(player.make, signature(name)) for name in facts.sessions},
        around=player.around,
        life=Life(program),
    )
