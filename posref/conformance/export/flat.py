"""The export as lines of words: the requests of the flat wire with their answers (wire-protocol.C16)."""

from collections.abc import Iterator

from posref.conformance.exchange import as_array
from posref.conformance.export.jsonl import bounds
from posref.conformance.export.selection import Asked, Call, Scene, Selection
from posref.conformance.wire import flat_request
from posref.conformance.wire.messages import PROTOCOL, Block
from posref.corpus.load import ScenarioTest, Test
from posref.operation import Tensor


def written(chosen: Selection) -> Iterator[bytes]:
    """Yield the lines of an export, a record at a time; the records are numbered as requests are."""
    yield _text([f"export 0 {PROTOCOL} {chosen.corpus} {chosen.tree_sha256} {chosen.dtype}"])
    seq = 1
    for asked in chosen.tests:
        yield _text(_lines(asked.call, seq, [*_said(asked.test), *_error(asked)]))
        seq += 1
    for scene in chosen.scenarios:
        yield _text(_scenario(scene, seq))
        seq += 1 + len(scene.objects) + len(scene.calls)
    yield _text([f"stop {seq}"])


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _lines(call: Call, seq: int, more: list[str]) -> list[str]:
    """Return the lines of a request, with its answer and `more` before the last."""
    lines = flat_request.encode(call.request, seq).decode("ascii").splitlines()
    earlier = [f"from_step {name} {one.step} {one.output}" for name, one in call.earlier.items()]
    answer: list[str] = []
    for name, expected in call.expected.items():
        answer += _tensor("expect", name, expected.tensor)
        limits = bounds(expected)
        answer += [] if limits is None else _tensor("bound", name, limits)
    return [*lines[:-1], *earlier, *answer, *more, lines[-1]]


def _tensor(word: str, name: str, tensor: Tensor) -> list[str]:
    first, *rows = flat_request.tensor(name, Block(tensor.dtype, as_array(tensor)))
    return [f"{word}{first.removeprefix('input')}", *rows]


def _said(test: Test | ScenarioTest) -> list[str]:
    """Return what a test says of those who can take it, and of zeros where their sign is compared."""
    lines = [f"requires {capability}" for capability in test.requires]
    return [*lines, "signed_zero strict"] if test.signed_zero == "strict" else lines


def _error(asked: Asked) -> list[str]:
    error = asked.test.error
    return [] if error is None else [f"error {error.kind} {error.parameter}"]


def _scenario(scene: Scene, seq: int) -> list[str]:
    counts = f"{len(scene.objects)} {len(scene.calls)}"
    lines = [f"scenario {seq} {scene.test.id} {scene.dtype} {counts}", *_said(scene.test), f"end {seq}"]
    for number, one in enumerate(scene.objects, seq + 1):
        lines += flat_request.encode(one, number).decode("ascii").splitlines()
    for number, call in enumerate(scene.calls, seq + 1 + len(scene.objects)):
        lines += _lines(call, number, [])
    return lines
