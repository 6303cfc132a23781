"""What `scalewatch-agent trace` does: read traces of others, or record its own."""
