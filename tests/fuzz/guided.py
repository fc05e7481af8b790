"""Fuzz the readers by coverage: inputs that reach new code are kept and changed further.

``python tests/fuzz/guided.py RUNS [KIND ...]``, from the root of a checkout, with Atheris installed. Each
good file of `kinds` is damaged in a process of its own; an input that is neither refused in a fit way nor
means what it meant is printed with the traceback, and the exit code is 1.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

HERE = Path(__file__).resolve().parent
INSTRUMENTED = (
    "posref.configuration",
    "posref.conformance.archive",
    "posref.conformance.expected",
    "posref.conformance.results",
    "posref.conformance.wire",
    "posref.corpus.bits",
    "posref.corpus.bounded",
    "posref.corpus.decode",
    "posref.corpus.load",
    "posref.corpus.manifest",
    "posref.corpus.parameters",
    "posref.corpus.read",
    "posref.corpus.read_golden",
    "posref.corpus.read_scenario",
    "posref.corpus.strict",
    "posref.corpus.sweep_state",
)
ONE = "--one"
"""The word before the kind and the good file that a process of its own is for."""


def fuzz(name: str, index: int, runs: int) -> None:
    """Damage one good file in this process, which ends with it."""
    import atheris  # a tool of the long check alone

    with atheris.instrument_imports(include=list(INSTRUMENTED)):
        from kinds import KINDS
    from test_fuzz import tried

    good = KINDS[name].good()[index]
    with TemporaryDirectory() as folder:
        (Path(folder) / "good").write_bytes(good)
        options = [f"-runs={runs}", f"-max_len={2 * len(good)}", "-seed=1", f"-artifact_prefix={folder}/"]

        def run(data: bytes) -> None:
            try:
                tried(KINDS[name], good, data)
            except BaseException:
                print(data, flush=True)
                raise

        atheris.Setup([sys.argv[0], *options, folder], run)
        atheris.Fuzz()


def main(words: list[str]) -> int:
    """Run every kind, or those that are named."""
    runs, *names = words
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    if names[:1] == [ONE]:
        fuzz(names[1], int(names[2]), int(runs))
        return 0
    from kinds import KINDS

    failed = 0
    for name in names or KINDS:
        count = len(KINDS[name].good())
        for index in range(count):
            each = str(-(-int(runs) // count))
            command = [sys.executable, __file__, each, ONE, name, str(index)]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            if done.returncode:
                print(done.stdout.decode("utf-8", "replace"))
            print(
                f"{name} {index}: {'a fault' if done.returncode else 'no fault'} in {each} runs", flush=True
            )
            failed += done.returncode != 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
