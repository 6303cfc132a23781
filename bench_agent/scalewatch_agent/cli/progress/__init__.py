"""Progress of sweeps: bars for people, lines for logs."""
