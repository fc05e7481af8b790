"""Swin v2's coordinates for a window of one row: 0 is divided by height - 1 = 0."""

import torch
from timm.layers.pos_embed_rel import gen_relative_log_coords

for window, pretrained in (((1, 3), (0, 0)), ((4, 1), (4, 1))):
    table = gen_relative_log_coords(window, pretrained)
    # One row (or column) has the only distance 0, whose coordinate is sign(0) log2(1 + 0) / 3 = 0.
    print(f"right: a window of {window[0]} by {window[1]} has 0 values that are no numbers")
    print(f"got:   {int(torch.isnan(table).sum())} of {table.numel()}")
