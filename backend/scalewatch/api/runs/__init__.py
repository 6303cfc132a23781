"""Posting runs and reading them."""
