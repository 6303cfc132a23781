"""Series over many commits, and the changes in them."""
