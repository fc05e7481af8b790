"""A cosine is the sine of pi/2 - x in float32: near a zero few digits are left."""

from tinygrad import Tensor

# cos 11 = 0.004425697988050785
print("right: 0.004425698")
print(f"got:   {Tensor([11.0]).cos().item():.9f}")
