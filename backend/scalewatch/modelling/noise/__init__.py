"""Noise learned from many series of a machine."""
