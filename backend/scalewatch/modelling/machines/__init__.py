"""Machine against machine: regression lines and their pairs."""
