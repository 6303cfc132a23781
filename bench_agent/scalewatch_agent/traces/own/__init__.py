"""Traces that the agent has recorded: records, and what their numbers mean."""
