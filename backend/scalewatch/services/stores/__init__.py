"""Stores as the source of a database: what a server would tell that was fed them."""
