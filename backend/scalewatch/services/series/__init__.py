"""Series as they stand at a commit: values, model, expectation, verdict."""
