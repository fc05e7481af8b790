"""Results files written by functions in Python: what a reader tries the judge in the browser with."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import posref
from posref.adapters import Implementation, Unsupported, read_numpy
from posref.conformance.run import run
from posref.conformance.scenario import play
from posref.conformance.wire.messages import PROTOCOL
from posref.corpus import encode, manifest
from posref.corpus.load import Corpus
from posref.errors import SpecError
from posref.operation import DTYPES, Signature, Tensor, signature

Json = dict[str, Any]
Functions = Mapping[str, Callable[..., Any]]

SWAPPED: Final = {"half": "adjacent", "adjacent": "half"}


def samples(corpus: Corpus) -> dict[str, str]:
    """Return the files that the page offers to try: rotations in float32, right and with pairings swapped."""
    apply = posref.rope.apply
    wrong = lambda *inputs, pairing, **params: apply(*inputs, pairing=SWAPPED.get(pairing, pairing), **params)  # noqa: E731
    return {
        name: written(corpus, {"rope.apply": function}, ("float32",))
        for name, function in (("right", apply), ("wrong", wrong))
    }


def written(corpus: Corpus, functions: Functions, dtypes: Sequence[str] = DTYPES, **said: Any) -> str:
    """Return the results file of functions that stand for operations; `said` is more for its first line."""
    record = _Record()
    named = {name: record.kept(signature(name), one) for name, one in functions.items()}
    implementation = Implementation("sample", named, dtypes=tuple(dtypes), around=record.around)
    tests = [test for test in corpus.tests if test.operation in named]
    for dtype in (*dtypes, "int64"):
        for _ in run(implementation, tests, dtype, ranked=False):
            pass
        for _ in play(implementation, corpus.scenarios, dtype, ranked=False):
            pass
    head = {"type": "results", "protocol": PROTOCOL, "tree_sha256": manifest.read(corpus.root).tree_sha256}
    head |= {"name": "sample", "language": "Python", "version": posref.__version__}
    head |= {"operations": list(named), "dtypes": list(dtypes), **said}
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in (head, *record.lines()))


class _Record:
    """What was answered to each test in each dtype."""

    def __init__(self) -> None:
        self._answers: dict[tuple[str, str], list[Json]] = {}
        self._now: list[Json] = []

    @contextmanager
    def around(self, test: str, dtype: str) -> Iterator[None]:
        """Keep what is answered meanwhile under this test and dtype."""
        self._now = self._answers[test, dtype if dtype in DTYPES else "int64"] = []
        yield

    def kept(self, entry: Signature, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and remembers its answer."""

        def call(*inputs: Any, **params: Any) -> Any:
            try:
                answer = function(*inputs, **params)
            except Unsupported as reason:
                self._now.append({"skipped": {"reason": str(reason)}})
                raise
            except Exception as failure:
                kind = failure.kind if isinstance(failure, SpecError) else "INVALID_PARAMETER"
                named = failure.parameter if isinstance(failure, SpecError) else ""
                self._now.append({"error": {"class": kind, "parameter": named}})
                raise
            parts = answer if isinstance(answer, tuple) else (answer,)
            self._now.append(
                {"outputs": dict(zip((o.name for o in entry.outputs), map(_tensor, parts), strict=True))}
            )
            return answer

        return call

    def lines(self) -> Iterator[Json]:
        """Yield a line for each test and dtype that was asked."""
        for (test, dtype), answers in self._answers.items():
            named = {"test": test, "dtype": dtype}
            if answers:
                yield {**named, **answers[0]} if len(answers) == 1 else {**named, "steps": answers}


def _tensor(part: Any) -> Json:
    dtype, values = read_numpy(part)
    return encode.tensor(Tensor(dtype, values.shape, tuple(values.reshape(-1).tolist())))
