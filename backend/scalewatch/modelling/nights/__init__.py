"""Nights of a machine: what they do to all that is measured on it, and how long."""
