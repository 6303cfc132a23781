"""Measurements that the server asks agents to repeat."""
