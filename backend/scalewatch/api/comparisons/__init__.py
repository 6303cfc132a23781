"""Machines or commits side by side."""
