"""Keys of a scaling that have a meaning when they are left out are asked for."""

from transformers import LlamaConfig

shape = {"hidden_size": 8, "num_attention_heads": 1, "max_position_embeddings": 8192}
yarn = {"rope_type": "yarn", "original_max_position_embeddings": 2048}
llama3 = {"rope_type": "llama3", "factor": 4.0, "original_max_position_embeddings": 2048}

# The factor of YaRN is the ratio of the lengths, 8192 / 2048 = 4; Llama 3's bands are 1 and 4.
for rope, right in ((yarn, "yarn, factor 4"), (llama3, "llama3, bands 1 and 4")):
    print(f"right: {right}")
    try:
        print(f"got:   {LlamaConfig(**shape, rope_parameters=dict(rope)).rope_parameters}")
    except KeyError as error:
        print(f"got:   KeyError: {error.args[0].partition(': {')[0]}")
