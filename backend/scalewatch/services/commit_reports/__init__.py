"""The report of a commit: what changed against its baseline."""
