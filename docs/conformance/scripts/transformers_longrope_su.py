"""Phi-3 configurations that say "su", the older name of longrope, are refused."""

from transformers import Phi3Config

rope = {"type": "su", "short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
lengths = {"max_position_embeddings": 131072, "original_max_position_embeddings": 4096}

print("right: longrope, trained length 4096")
try:
    found = Phi3Config(
        hidden_size=8, num_attention_heads=1, pad_token_id=0, rope_scaling=rope, **lengths
    ).rope_parameters
    print(f"got:   {found['rope_type']}, trained length {found['original_max_position_embeddings']}")
except KeyError as error:
    print(f"got:   KeyError: {error.args[0].partition(': {')[0]}")
