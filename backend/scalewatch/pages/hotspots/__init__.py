"""Hotspots: where profiles change."""
