"""Efficiency of scans: numbers, the table that all outputs share, and sentences."""
