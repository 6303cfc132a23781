"""Misfit: series that no growth of the space explains, and their local exponents."""
