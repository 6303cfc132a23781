"""Arrays that the mathematics shares."""
