"""Exact phase, rotation, rounding, array namespaces and argument checks."""
