"""Traced programs over the number of processes."""
