"""The page of costs: shares of all regions over p, and their ranking at a target."""
