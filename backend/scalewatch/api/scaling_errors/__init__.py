"""Scaling errors."""
