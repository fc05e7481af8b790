"""A type beside settings by layer type: the factors inside them are not seen."""

from transformers import LlamaConfig

nests = {"sliding_attention": {"factor": 2.0}, "full_attention": {"factor": 8.0}}
rope = {"rope_type": "linear", "rope_theta": 10000.0, **nests}

print("right: factors 2 and 8, by layer type")
try:
    found = LlamaConfig(head_dim=16, rope_parameters=rope).rope_parameters
    print(f"got:   {found}")
except KeyError as error:
    print(f"got:   KeyError: {error.args[0].partition(': {')[0]}")
