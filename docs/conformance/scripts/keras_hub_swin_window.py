"""Swin's indices of a window that is not square: its rows and columns are exchanged."""

import os

os.environ.setdefault("KERAS_BACKEND", "torch")

import keras
from keras_hub.src.models.swin_transformer.swin_transformer_layers import get_relative_position_index

index = get_relative_position_index(2, 3)

# Rows of 2 * 3 - 1 = 5: patch (0, 0) less (0, 0), (0, 1), (0, 2), plus 1 row and 2 columns.
print("right: 7 6 5")
print("got:   " + " ".join(str(int(value)) for value in keras.ops.convert_to_numpy(index)[0, :3]))
