"""Bounds of requests: origins and forms, limits, shares, headers."""
