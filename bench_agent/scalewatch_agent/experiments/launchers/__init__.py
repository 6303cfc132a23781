"""Launchers: what starts the jobs of an experiment, or simulates them."""
