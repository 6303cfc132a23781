"""From the repetitions of a run to models, verdicts and learned noise."""
