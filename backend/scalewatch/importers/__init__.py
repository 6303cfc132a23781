"""Foreign formats in."""
