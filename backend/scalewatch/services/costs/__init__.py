"""Costs of regions at scale, beside one another."""
