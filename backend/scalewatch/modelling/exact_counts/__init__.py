"""Formulas of exact counts, chosen by their description length."""
