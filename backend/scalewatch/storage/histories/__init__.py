"""Locations of series along commits, and regressions."""
