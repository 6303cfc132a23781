"""Traces: overhead by source location, efficiencies, and the report."""
