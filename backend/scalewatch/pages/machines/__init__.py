"""Machines and their lines."""
