"""Tables of columns, separated or written by hand."""
