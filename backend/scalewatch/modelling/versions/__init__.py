"""Changes between two versions, and their probability."""
