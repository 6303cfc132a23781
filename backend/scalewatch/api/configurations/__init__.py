"""The search for the best configuration."""
