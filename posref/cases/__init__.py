"""Chosen inputs, each with the reason and the clauses it tests."""
