"""Runs as tables for people, each kind in its own."""
