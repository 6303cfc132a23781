"""Which regions, metrics and configurations a question is about."""
