"""What a CI job is told: whether a commit passes."""
