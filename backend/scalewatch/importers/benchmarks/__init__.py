"""Results of benchmark programs: one module per format."""
