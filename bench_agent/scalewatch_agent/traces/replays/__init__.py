"""Replays of a trace: on an ideal network, and along the critical path."""
