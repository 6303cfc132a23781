"""Repetitions of series: batches, summaries, locations, noise."""
