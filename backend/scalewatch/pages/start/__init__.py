"""Getting started: from no token to a gate in CI."""
