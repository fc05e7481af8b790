"""RotaryEmbedding of ONNX: tables of a batch are cut to as many sequences as a head is wide."""

from tinygrad import Tensor
from tinygrad.nn.onnx import onnx_ops

heads, table = Tensor.ones(3, 1, 1, 2), Tensor.ones(3, 1, 1)

print("right: shape (3, 1, 1, 2)")
try:
    turned = onnx_ops["RotaryEmbedding"](heads, table, table)
    print(f"got:   shape {turned.shape}")
except Exception as error:  # the class has changed between releases
    print(f"got:   {type(error).__name__}")
