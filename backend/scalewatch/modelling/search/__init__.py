"""From measurements to findings, in batches."""
