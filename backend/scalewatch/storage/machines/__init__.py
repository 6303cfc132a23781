"""Machines and their learned noise."""
