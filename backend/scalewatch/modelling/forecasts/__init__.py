"""Values beyond what was measured, with intervals."""
