"""Messages of a trace: which send goes with which receive."""
