"""What changed between two versions, and how surely."""
