"""Costs of regions at scale: shares of their sum."""
