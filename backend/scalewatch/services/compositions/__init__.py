"""Models composed of other regions that a project expects, beside its measurements."""
