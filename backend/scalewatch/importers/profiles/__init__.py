"""Profiles of the parts of a program: one module per format."""
