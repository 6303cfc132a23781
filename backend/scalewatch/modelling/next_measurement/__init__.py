"""Which measurement tells most for its cost."""
