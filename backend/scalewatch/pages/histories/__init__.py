"""Histories of regions and projects."""
