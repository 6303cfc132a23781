"""Documents on the command line: the scaling section of a proposal."""
