"""Two machines or two commits side by side."""
