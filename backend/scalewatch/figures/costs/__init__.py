"""What regions cost at scale: shares of their sum."""
