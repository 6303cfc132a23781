"""Commits: which one is meant, how they follow each other, baselines."""
