"""The pages of regressions: their list, and the evidence of each."""
