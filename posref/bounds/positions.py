"""Positions: the operations are on integers, and a result is right or wrong. There is nothing to bound."""
