"""Logs of applications: one module per program."""
