"""Runs: prepared, recorded, shown, judged."""
