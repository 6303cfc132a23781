"""Stores on the command line: look after them, and answer from them."""
