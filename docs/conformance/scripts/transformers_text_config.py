"""A text_config without any width wins over the widths beside it."""

from transformers import Qwen2VLConfig

config = Qwen2VLConfig(hidden_size=32, num_attention_heads=4, text_config={"vocab_size": 100})
text = config.get_text_config()

# The file says 32 for 4 heads.
print("right: heads of width 8")
print(f"got:   heads of width {text.hidden_size // text.num_attention_heads}")
