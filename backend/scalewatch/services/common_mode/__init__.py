"""Histories of series, and the common mode of each machine in them."""
