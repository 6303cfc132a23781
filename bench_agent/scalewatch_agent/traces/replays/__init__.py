"""What decides the run time: a replay on an ideal network, and the critical path."""
