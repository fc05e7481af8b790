"""How far an honest implementation may be off, per element, as derived in spec/precision.md."""
