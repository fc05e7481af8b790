"""Programs in C, JavaScript and Rust: the honest pass, and of each twin the mistake is named."""

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from needed import tool

from posref import operation
from posref.cli import main
from posref.conformance import suite
from posref.conformance.export import selection
from posref.corpus import load_vectors
from posref.corpus.load import Corpus

HERE = Path(__file__).parent
VECTORS = operation.home("vectors")
EXPORTED = ("rope.*", "alibi.*", "positions.relative")
GLOBS = (*EXPORTED, "rope_scaling.*", "sinusoidal.*", "t5.bucket", "xpos.*")

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-Wno-overlength-strings")
KERNELS = (HERE / "c/call.c", HERE / "c/encodings.c", "-lm")

C = {"rope.inv_freq", "rope.cos_sin", "rope.rotate", "rope.apply", "alibi.slopes", "alibi.bias"}
JAVASCRIPT = C | {
    *(f"rope_scaling.{kind}" for kind in ("linear", "ntk", "dynamic", "yarn", "llama3", "longrope")),
    *("rope_scaling.proportional", "sinusoidal.inv_freq", "sinusoidal.encode"),
    *("t5.bucket", "xpos.scale", "xpos.apply", "rope.length_scenario"),
}
"""What the explorer of the site draws: it loads the same file of encodings."""
RUST = {"rope.inv_freq", "rope.apply", "alibi.slopes", "positions.relative"}
PLAYED = {"rope.batch_scenario", "rope.objects_scenario", "rope.offset_scenario"}

MAY_SKIP = (
    "operation not offered",
    "context extension is not offered",
    "a header holds no scenarios",
    "no expected value in ",
    "is not exact in float32",
    "which is not offered",
)
"""All that an honest program leaves out: what it does not offer, and what its dtypes do not hold."""

Build = Callable[..., Path]
Output = pytest.CaptureFixture[str]


@dataclass(frozen=True)
class Consumer:
    """A program on a wire: how it is made, what it offers, and which operation the twin gets wrong."""

    name: str
    wire: str
    offers: set[str]
    flaw: tuple[str, str]

    def command(self, build: Build, *, wrong: bool) -> str:
        if self.name == "c":
            return str(compiled(build, HERE / "c/flat.c", wrong=wrong))
        if self.name == "c-fast":
            return str(compiled(build, HERE / "c/flat.c", "-O3", "-march=native", wrong=wrong))
        if self.name == "rust":
            words = [build("rustc", "--edition", "2021", "-D", "warnings", "-O", HERE / "rust/main.rs")]
        else:
            words = [tool("node"), HERE / "javascript/wire.mjs"]
        return " ".join(map(str, [*words, *(["--wrong"] if wrong else [])]))


CONSUMERS = (
    Consumer("c", "flat", C, ("rope.apply", "pairing-ignored-adjacent")),
    Consumer("c-fast", "flat", C, ("rope.apply", "pairing-ignored-adjacent")),
    Consumer("javascript", "json", JAVASCRIPT, ("rope.apply", "ladder-over-head")),
    Consumer("rust", "flat", RUST, ("alibi.slopes", "plain-geometric")),
)
TWINS = tuple(one for one in CONSUMERS if one.name != "c-fast")


@pytest.fixture(autouse=True, scope="module")
def corpus_read_once() -> Iterator[None]:
    """Let all runs of the judge share the corpus, which takes longer to read than the programs to run."""
    read = cache(load_vectors)

    def once(root: Path | None, operations: str | Sequence[str]) -> Corpus:
        return read(root, operations if isinstance(operations, str) else tuple(operations))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(suite, "load_vectors", once)
        patch.setattr(selection, "load_vectors", once)
        yield


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Compile something once and return the program."""

    @cache
    def make(compiler: str, *words: str | Path) -> Path:
        program = tmp_path_factory.mktemp("built") / "program"
        subprocess.run([tool(compiler), *words, "-o", program], check=True)
        return program

    return make


def compiled(build: Build, main_file: Path, *flags: str | Path, wrong: bool = False) -> Path:
    flags = flags or ("-O2", "-ffp-contract=off")
    twin = ["-DWRONG_PAIRING"] if wrong else []
    return build("gcc", *STRICT, *flags, *twin, main_file, *KERNELS)


def judged(file: Path, *words: str) -> tuple[int, dict[str, list[dict[str, str]]], dict[str, set[str]]]:
    """Return the exit code of ``posref check``, its results by operation, and each one's diagnoses."""
    globs = [word for glob in GLOBS for word in ("--operation", glob)]
    code = main(["check", *words, *globs, "--json", str(file)])
    report = json.loads(file.read_text("ascii"))
    results: dict[str, list[dict[str, str]]] = {}
    for one in report["results"]:
        results.setdefault(one["operation"], []).append(one)
    diagnoses: dict[str, set[str]] = {}
    for one in report["operations"]:
        if one["diagnosis"]:
            diagnoses.setdefault(one["operation"], set()).add(one["diagnosis"])
    return code, results, diagnoses


def check_honest(results: dict[str, list[dict[str, str]]], offers: set[str]) -> None:
    """All that is offered ran, with values and with refusals, and passed; skips have a reason."""
    ran = {one for one, found in results.items() if any(entry["verdict"] == "pass" for entry in found)}
    assert ran == offers
    for name in offers:
        passed = {entry["kind"] for entry in results[name] if entry["verdict"] == "pass"}
        assert passed == ({"scenario"} if name.endswith("_scenario") else {"value", "invalid"})
    for entry in (entry for found in results.values() for entry in found):
        assert entry["verdict"] in ("pass", "skipped"), entry
        assert not entry["remark"], entry
        skipped = entry["verdict"] == "skipped"
        assert not skipped or any(reason in entry["reason"] for reason in MAY_SKIP), entry


@pytest.mark.parametrize("consumer", CONSUMERS, ids=lambda one: one.name)
def test_the_honest_pass(consumer: Consumer, build: Build, tmp_path: Path) -> None:
    command = consumer.command(build, wrong=False)
    code, results, diagnoses = judged(tmp_path / "report", "--cmd", command, "--wire", consumer.wire)
    assert (code, diagnoses) == (0, {})
    check_honest(results, consumer.offers | PLAYED)


@pytest.mark.parametrize("consumer", TWINS, ids=lambda one: one.name)
def test_the_mistake_of_the_twin_is_named(consumer: Consumer, build: Build, tmp_path: Path) -> None:
    command = consumer.command(build, wrong=True)
    code, results, diagnoses = judged(tmp_path / "report", "--cmd", command, "--wire", consumer.wire)
    operation, flaw = consumer.flaw
    assert code == 1
    check_named(diagnoses[operation], flaw)
    scheme = operation.partition(".")[0]
    assert all(name.startswith(f"{scheme}.") for name in diagnoses)
    verdicts = {entry["verdict"] for name in consumer.offers - set(diagnoses) for entry in results[name]}
    assert verdicts <= {"pass", "skipped"}


def check_named(diagnoses: set[str], flaw: str) -> None:
    """Every diagnosis, one a dtype, has the flag of the mistake."""
    assert all(f"[{flaw}" in text for text in diagnoses), diagnoses


@pytest.fixture(scope="module")
def header(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with an exported header."""
    folder = tmp_path_factory.mktemp("header")
    globs = [word for glob in EXPORTED for word in ("--operation", glob)]
    words = ["--to", "c-header", "--dtype", "float32", *globs, "--output", str(folder / "vectors.h")]
    assert main(["vectors", "export", *words]) == 0
    return folder


@pytest.mark.parametrize("wrong", [False, True], ids=["honest", "twin"])
def test_a_header_and_its_results(header: Path, build: Build, tmp_path: Path, wrong: bool) -> None:
    flags = ("-O2", "-ffp-contract=off", f"-I{header}")
    program = compiled(build, HERE / "c/header.c", *flags, wrong=wrong)
    results = tmp_path / "results.jsonl"
    done = subprocess.run([program, results], capture_output=True, text=True, check=False)
    assert done.returncode == int(wrong)
    assert (" 0 wrong, " in done.stdout) != wrong
    code, found, diagnoses = judged(tmp_path / "report", "--results", str(results))
    assert code == int(wrong)
    if wrong:
        check_named(diagnoses["rope.apply"], "pairing-ignored-adjacent")
        named = {entry["case_id"] for name in C for entry in found[name] if entry["verdict"] == "fail"}
        own = {line.removeprefix("wrong: ") for line in done.stdout.splitlines() if ": " in line}
        assert own == named  # the header's own comparison and the judge's agree
    else:
        check_honest(found, C)


def test_a_header_is_of_cxx_too(header: Path) -> None:
    compiler = tool("g++")
    flags = ["-x", "c++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    source = '#include "vectors.h"\nint main() { return posref_cases[POSREF_CASES].id != 0; }\n'
    subprocess.run([compiler, *flags, f"-I{header}", "-"], input=source, text=True, check=True)


@pytest.mark.parametrize("wrong", [False, True], ids=["honest", "twin"])
def test_vector_files_read_directly(wrong: bool) -> None:
    words = [tool("node"), HERE / "javascript/vectors.mjs", VECTORS, *(["--wrong"] if wrong else [])]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == int(wrong), done.stderr
    failed = [line for line in done.stdout.splitlines() if line.startswith("wrong: ")]
    assert bool(failed) == wrong
    assert all("rope-apply-" in line for line in failed)
    right = int(done.stdout.splitlines()[-1].split(" ")[0])
    assert right > 1600
