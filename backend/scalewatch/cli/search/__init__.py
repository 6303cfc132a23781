"""The search for the best configuration, by trials."""
