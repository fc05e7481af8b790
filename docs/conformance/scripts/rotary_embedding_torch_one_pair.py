"""One pair: the rescale factor 1 is raised to dim / (dim - 2)."""

from rotary_embedding_torch import RotaryEmbedding

# One pair has one frequency, 10000^0 = 1.
print("right: frequencies [1.0]")
try:
    print(f"got:   frequencies {RotaryEmbedding(2).freqs.tolist()}")
except ZeroDivisionError as error:
    print(f"got:   ZeroDivisionError: {error}")
