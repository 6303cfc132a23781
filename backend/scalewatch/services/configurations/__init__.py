"""The search for the best configuration and its effects."""
