"""Jobs, workers, confirmations and webhooks."""
