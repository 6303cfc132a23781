"""The demonstration on this machine."""
