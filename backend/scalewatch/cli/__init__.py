"""Server and offline command line."""
