"""Where files lie: folders, archives, standard input."""
