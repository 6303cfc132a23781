"""Bench agent: measures codes under MPI and posts what it measured."""
