"""What was measured, as one file: sections that a run has measured replace those that the file had.

No dates, no names of machines: processor, memory, and the versions of what ran.
"""

import importlib.metadata
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import posref
from posref.corpus.writing import write_text

FORMAT: Final = "posref-measured-1"

LIBRARIES: Final = ("numpy", "torch", "transformers", "onnxruntime", "jax", "cupy-cuda12x", "cupy-cuda13x")
"""Distributions whose versions are told where they are installed."""


def machine() -> dict[str, Any]:
    """Return what is known of the machine."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory_gib": round(_memory() / 2**30, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "threads": os.environ.get("OMP_NUM_THREADS", "not set"),
    }


def _processor() -> str:
    table = Path("/proc/cpuinfo")
    lines = table.read_text(encoding="utf-8").splitlines() if table.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or "unknown"


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 0


def versions() -> dict[str, str]:
    """Return the versions of Python, of posref and of the libraries that are installed."""
    found = {"python": platform.python_version(), "posref": posref.__version__}
    for name in LIBRARIES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def read(path: Path) -> dict[str, Any]:
    """Return what a file holds, nothing if there is none.

    Raises
    ------
    ValueError
        If it is something else.
    """
    if not path.exists():
        return {}
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as failure:
        raise ValueError(f"{path} is no JSON: {failure}") from None
    if not isinstance(held, dict) or held.get("format") != FORMAT:
        raise ValueError(f"{path} holds no measurements of this format")
    return held


def save(path: Path, sections: Mapping[str, Any]) -> None:
    """Put sections into a file, each with where it was measured; others stay as they are."""
    here = {"machine": machine(), "versions": versions()}
    held = read(path) | {"format": FORMAT}
    for name, values in sections.items():
        held[name] = {**here, "values": values}
    write_text(path, json.dumps(held, indent=1, sort_keys=True, ensure_ascii=True) + "\n")
