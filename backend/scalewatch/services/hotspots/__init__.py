"""Profiles and where they change along a scan."""
