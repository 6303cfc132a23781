"""Selection of models of several parameters."""
