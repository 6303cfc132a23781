"""Lines of machine against machine."""
