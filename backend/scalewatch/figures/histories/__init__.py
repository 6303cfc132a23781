"""Figures of histories: exponents over commits, and what a change did."""
