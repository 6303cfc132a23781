"""Whole answers: compressed, and named by their content."""
