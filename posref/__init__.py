"""posref: a reference specification of Transformer positional encodings.

Each scheme is a module of pure functions (`posref.rope.apply`), `check` judges an implementation
by the certified vectors, `judge` judges one output on your own inputs.
"""

from typing import Any

__version__ = "0.1.0"

SCHEMES = (
    "alibi", "attention", "axial_rope", "deberta", "fourier", "learned", "mrope", "positions", "rope",
    "rope_scaling", "shaw", "sincos2d", "sinusoidal", "swin", "t5", "temperature", "timestep",
    "transformer_xl", "xpos",
)  # fmt: skip
FACES = {"check": "posref.conformance", "judge": "posref.conformance", "load_vectors": "posref.corpus"}

__all__ = [*SCHEMES, *FACES, "SpecError", "__version__"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    """Import a scheme or a face when it is first asked for, so that importing posref stays cheap."""
    import importlib

    if name in SCHEMES:
        return importlib.import_module(f"posref.reference.{name}")
    if name in FACES:
        return getattr(importlib.import_module(FACES[name]), name)
    if name == "SpecError":
        return importlib.import_module("posref.errors").SpecError
    raise AttributeError(f"module 'posref' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
