"""Known wrong implementations, each with its fault class and what it looks like."""
