"""Figures of scaling errors and of parallel efficiency."""
