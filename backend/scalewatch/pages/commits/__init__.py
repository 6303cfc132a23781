"""The report of a commit."""
