"""Tokens, policies, visibility and the audit log."""
