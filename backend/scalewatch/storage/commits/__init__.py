"""Commits, and what was measured of them."""
