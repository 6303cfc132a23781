"""What follows the project: events, feeds, embedded figures."""
