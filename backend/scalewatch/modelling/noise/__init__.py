"""What many series of a machine tell about their noise."""
