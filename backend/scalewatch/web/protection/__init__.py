"""What keeps requests within bounds: hosts, origins, limits, headers."""
