"""How much two profiles differ, and where they jump along a scan."""
