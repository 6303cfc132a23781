"""Machines: facts, provenance, lines of machine against machine."""
