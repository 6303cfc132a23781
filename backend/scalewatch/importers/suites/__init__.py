"""Results of suites that run many programs: one module per format."""
