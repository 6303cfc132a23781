"""Whom to suspect: platform, library or one commit."""
