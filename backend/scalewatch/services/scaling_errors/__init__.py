"""Strong and weak scaling errors α and β, their planes and figures."""
