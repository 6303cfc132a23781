"""Tables that people write by hand."""
