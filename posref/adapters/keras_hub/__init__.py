"""KerasHub: its positional layers and those of its models, on the backend that Keras is set to."""

import os

from posref.adapters import Implementation


def load() -> Implementation:
    """Return the layers as an implementation; a backend that nothing has set is torch."""
    os.environ.setdefault("KERAS_BACKEND", "torch")
    from posref.adapters.keras_hub.layers import implementation

    return implementation()
