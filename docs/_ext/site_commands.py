"""Commands of the pages, run while the site is built; what is shown is what they printed."""

import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).parent.parent
PROGRAMS = DOCS.parent / "tests" / "consumers"

FILES = " ".join(f"tests/consumers/c/{name}.c" for name in ("flat", "call", "encodings"))
EXPORT = "posref vectors export"
READER = "c++ -std=c++17 -O2 -ffp-contract=off tests/consumers/cpp/vectors.cpp"


@dataclass(frozen=True)
class Command:
    """One line for the shell, and the exit code that the page promises."""

    line: str
    code: int = 0


PAGES: dict[str, dict[str, tuple[Command, ...]]] = {
    "start": {
        "faulty": (Command("posref check my_kernel:operations --operation rope.apply --dtype float32", 1),),
        "mended": (Command("posref check mended_kernel:operations --operation rope.apply --dtype float32"),),
    },
    "any-language": {
        "build": (
            Command(f"cc -O2 {FILES} -lm -o kernels"),
            Command("posref check --cmd ./kernels --wire flat --operation 'rope.*' --operation 'alibi.*'"),
        ),
        "twin": (
            Command(f"cc -O2 -DWRONG_PAIRING {FILES} -lm -o twin"),
            Command("posref check --cmd ./twin --wire flat --operation rope.apply --kind value", 1),
        ),
        "talk": (Command("./kernels < talk.txt"),),
        "noise": (Command("posref check --cmd 'echo ready' --wire flat", 2),),
    },
    "offline": {
        "export": (
            Command(f"{EXPORT} --to c-header --dtype float32 --operation rope.apply --output vectors.h"),
        ),
        "judge": (
            Command("c++ -O2 -x c++ rope.cu -o rope"),
            Command("./rope results.jsonl"),
            Command("posref check --results results.jsonl --operation rope.apply --kind value"),
        ),
        "npz": (
            Command(f"{EXPORT} --to npz --dtype bfloat16 --operation rope.rotate --output rotate.npz"),
            Command("python offline_npz.py rotate.npz > results.jsonl"),
            Command(
                "posref check --results results.jsonl --operation rope.rotate --dtype bfloat16 --kind value"
            ),
        ),
        "own": (
            Command("python save_own.py"),
            Command(
                "posref judge rope.apply --params params.json --inputs inputs.npz --output output.npz", 1
            ),
        ),
    },
    "ci": {
        "help": (Command("posref check --help"),),
        "one-line": (
            Command(
                "posref check mended_kernel:operations --operation rope.apply --dtype float32 "
                "--min-tests 70 > report.txt && echo right"
            ),
        ),
        "known": (
            Command(
                "posref check my_kernel:operations --operation rope.apply --dtype float32 --kind value "
                "--xfail known.toml --strict",
                1,
            ),
        ),
        "few": (
            Command(
                "posref check mended_kernel:operations --operation rope.apply --dtype float32 "
                "--min-tests 1000 | tail -1; exit ${PIPESTATUS[0]}",
                2,
            ),
        ),
    },
    "diagnosis": {
        "stale": (Command("posref check stale_kernel:layer --operation rope.apply --dtype float32", 1),),
        "layout": (
            Command(
                "posref check mended_kernel:operations --operation rope.apply --dtype float32 "
                "--layout strided | tail -1"
            ),
        ),
        "explain": (Command("posref explain table-by-shape"),),
        "show": (Command("posref show rope-inv-freq-w4-b10000"),),
        "confusion": (Command("posref vectors confusion --operation rope.permute"),),
        "coverage": (Command("posref vectors coverage --operation rope.inv_freq --dtype float32"),),
    },
    "languages": {
        "honest": (
            Command(f"{EXPORT} --to flat --dtype float32 --operation rope.apply --output vectors.flat"),
            Command(f"{READER} -o reader"),
            Command("./reader vectors.flat results.jsonl"),
        ),
        "twin": (
            Command(f"{READER} -DWRONG_BASE -o twin"),
            Command("./twin vectors.flat results.jsonl | tail -3"),
            Command(
                "posref check --results results.jsonl --operation rope.apply --kind value | grep diagnosis"
            ),
        ),
    },
    "adding-a-scheme": {
        "clause": (Command("posref explain positions.C1"),),
        "case": (Command("posref show positions-relative-decode"),),
        "coverage": (Command("posref vectors coverage --operation positions.relative --dtype float32"),),
        "check": (Command("posref check reference --operation positions.relative | tail -1"),),
    },
}
"""The commands of each page, block by block; those of a page run in order in one folder."""


def prepare(folder: Path) -> dict[str, str]:
    """Fill the folder of a page with the examples, the programs and two commands; return the environment."""
    for example in (DOCS / "examples").iterdir():
        if example.is_file():
            shutil.copy(example, folder)
    (folder / "tests").mkdir()
    (folder / "tests" / "consumers").symlink_to(PROGRAMS)
    tools = folder / ".bin"
    tools.mkdir()
    for name, words in (("posref", " -m posref"), ("python", "")):
        (tools / name).write_text(f'#!/bin/sh\nexec "{sys.executable}"{words} "$@"\n', "utf-8")
        (tools / name).chmod(0o755)
    return {
        **os.environ,
        "PATH": os.pathsep.join((str(tools), os.environ.get("PATH", os.defpath))),
        "PYTHONPATH": str(DOCS.parent),
        "PYTHONWARNINGS": "ignore",
        "PYTHONDONTWRITEBYTECODE": "1",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def output(command: Command, folder: Path, environment: dict[str, str]) -> str:
    """Return what a command prints; another exit code than the page promises is an error."""
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if command.code == 2 else subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != command.code:
        raise RuntimeError(f"{command.line}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout.rstrip()


def shown(command: Command) -> str:
    """Return a command as it is typed; what only looks at an exit code is left out."""
    return f"$ {command.line.partition('; exit ')[0]}"


def page(name: str) -> dict[str, str]:
    """Return the blocks of one page, each command with its output."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        environment = prepare(Path(folder))
        for block, commands in PAGES[name].items():
            lines = []
            for command in commands:
                lines += [shown(command), output(command, Path(folder), environment)]
            text = "\n".join(filter(None, lines))
            found[f"{name}-{block}.md"] = f"```console\n{text}\n```\n"
    return found


def pages() -> dict[str, str]:
    """Return each block of commands as a page to include."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        return {name: text for blocks in pool.map(page, PAGES) for name, text in blocks.items()}
