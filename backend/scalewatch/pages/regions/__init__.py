"""One region and the form of its expectation."""
