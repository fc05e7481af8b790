"""The same definitions in arbitrary precision, written from the specification alone."""
