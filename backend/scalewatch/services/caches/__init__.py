"""What is kept in memory between questions, keyed by content."""
