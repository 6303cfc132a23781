"""Models, verdicts, probabilities, expectations and rules."""
