"""Changes found in the histories of series, and what became of them."""
