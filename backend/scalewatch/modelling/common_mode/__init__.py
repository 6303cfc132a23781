"""What moves all regions of a machine at a commit, its common mode, and how long."""
