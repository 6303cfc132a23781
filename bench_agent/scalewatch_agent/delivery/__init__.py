"""Runs on their way to the server, and what it asks for."""
