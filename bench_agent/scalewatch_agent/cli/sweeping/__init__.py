"""Sweeps of experiments from the command line, and programs as experiments."""
