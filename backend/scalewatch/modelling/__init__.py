"""What measurements mean: numpy and scipy, no database, no web."""
