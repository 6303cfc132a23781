"""Counts of programs in Python: calls of their functions."""
