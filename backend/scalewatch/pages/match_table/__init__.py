"""The match table of a project."""
