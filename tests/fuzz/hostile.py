"""Files made to take all memory or all time; run as a program, under a limit, it says what became of each.

``python hostile.py FOLDER`` writes one JSON object: for each name the error and the seconds it took, and
under ``peak`` the largest resident size in bytes.
"""

import json
import os
import resource
import shutil
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import small_roots
from kinds import ASKED, RUN_OF

from posref.configuration import resolved
from posref.conformance import archive, check, expected
from posref.conformance.results import Results
from posref.conformance.wire import flat, jsonl
from posref.corpus import encode, load_vectors, manifest, sweep_state
from posref.corpus.strict import read_object

LIMIT = 2 << 30
HUGE = 3 << 30
DEEP = 10**5
FILE = RUN_OF[0]


def main(folder: Path) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT))
    found: dict[str, Any] = {}
    for name, case in cases(folder).items():
        begun = time.process_time()
        try:
            case()
            said = "accepted"
        except Exception as failure:
            said = f"{type(failure).__name__}: {failure}"
        found[name] = said, time.process_time() - begun
    status = Path("/proc/self/status")  # what getrusage says includes the parent, from before the start
    if status.exists():
        found["peak"] = int(status.read_text("ascii").split("VmHWM:")[1].split()[0]) * 1024
    else:
        found["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(json.dumps(found))


def cases(folder: Path) -> dict[str, Callable[[], Any]]:
    readers: dict[str, Callable[[Path], Any]] = {
        "config": resolved,
        "params": read_object,
        "known-failures": expected.read,
        "sweep-state": sweep_state.read,
        "manifest": lambda file: in_root(folder, manifest.MANIFEST, file),
        "sums": lambda file: in_root(folder, manifest.SUMS, file),
        "vectors": lambda file: in_root(folder, FILE, file),
        "results": lambda file: judged(folder, file),
    }
    found: dict[str, Callable[[], Any]] = {}
    for kind, read in readers.items():
        for way, make in (("huge", huge), ("deep", deep), ("deep-objects", deep_objects), ("long", long)):
            found[f"{kind} {way}"] = lambda read=read, make=make, own=f"{kind}-{way}": read(
                make(folder / own)
            )
    found["config device"] = lambda: resolved(Path("/dev/zero"))
    found["npz shape"] = lambda: archive.read(shaped(folder / "shape.npz", "(1000000000000,)"))
    found["npz empty shape"] = lambda: archive.read(
        shaped(folder / "empty.npz", "(0, 1000000000000, 1000000000000)")
    )
    found["npz deep header"] = lambda: archive.read(shaped(folder / "deep.npz", "(" * 5000))
    found["npz bomb"] = lambda: archive.read(bomb(folder / "bomb.npz"))
    for name, shape in SHAPES.items():
        found[f"vectors {name}"] = lambda shape=shape: shaped_vectors(folder, shape)
        found[f"reply-json {name}"] = lambda shape=shape: shaped_reply(shape)
        found[f"reply-flat {name}"] = lambda shape=shape: shaped_lines(shape)
    return found


SHAPES: dict[str, list[int]] = {
    "shape": [10**12],
    "two axes": [10**6, 10**6],
    "empty": [0, 10**12, 10**12],
    "axes": [1] * DEEP,
}


def huge(file: Path) -> Path:
    with file.open("wb") as stream:
        stream.truncate(HUGE)  # one line of zeros that takes no room on a disk
    return file


def deep(file: Path) -> Path:
    file.write_text("[" * DEEP + "]" * DEEP)
    return file


def deep_objects(file: Path) -> Path:
    file.write_text('{"a":' * DEEP + "1" + "}" * DEEP)
    return file


def long(file: Path) -> Path:
    file.write_text('{"a": "' + "b" * 10**7 + '", "a": 1}')
    return file


def in_root(folder: Path, name: str, file: Path) -> Any:
    root = folder / "root"
    shutil.rmtree(root, ignore_errors=True)
    small_roots.lay(root, RUN_OF)
    if name == FILE:  # signed as it is, but for what is longer than any file may be
        data = b"" if file.stat().st_size == HUGE else file.read_bytes()
        small_roots.write(root, {FILE: data}, {FILE: (2, 10**12)})
        shutil.rmtree(root / Path(RUN_OF[1]).parent)
    (root / name).unlink()
    os.link(file, root / name)
    return load_vectors(root)


def judged(folder: Path, file: Path) -> Any:
    root = folder / "judged"
    small_roots.lay(root, RUN_OF)
    return check(Results(file), dtype="float32", root=root)


def shaped(file: Path, shape: str) -> Path:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    with zipfile.ZipFile(file, "w") as stream:
        stream.writestr(
            "x.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(64)
        )
    return file


def bomb(file: Path) -> Path:
    """Write an archive of zeros that says it expands to a gigabyte and more."""
    with (
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as stream,
        stream.open("x.npy", "w") as member,
    ):
        for _ in range(1025):
            member.write(bytes(1 << 20))
    return file


def shaped_vectors(folder: Path, shape: list[int]) -> Any:
    document = json.loads(small_roots.cut(FILE))
    document["groups"][0]["tests"][0]["expected"]["inv_freq"]["float64"]["shape"] = shape
    file = folder / "shaped"
    file.write_bytes(encode.dump(document))
    return in_root(folder, FILE, file)


def shaped_reply(shape: list[int]) -> Any:
    tensor = {"dtype": "float32", "shape": shape, "data": []}
    record = {"seq": 3, "outputs": {"y": tensor, "index": tensor}}
    return jsonl.decode(json.dumps(record).encode(), ASKED["outputs"], 3)


def shaped_lines(shape: list[int]) -> Any:
    axes = " ".join(map(str, shape))
    return flat.decode(f"output y float32 {len(shape)} {axes}\nend 3\n".encode(), ASKED["outputs"], 3)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
