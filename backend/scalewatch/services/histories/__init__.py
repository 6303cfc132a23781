"""Histories of regions and projects over their commits."""
