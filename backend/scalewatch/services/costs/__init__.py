"""What regions cost at scale, beside one another."""
