"""Rows of a trace that are too many to be held: in files, read some at a time."""
