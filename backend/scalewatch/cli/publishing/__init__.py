"""Pages without a server: which are frozen, how they are rewritten and written."""
