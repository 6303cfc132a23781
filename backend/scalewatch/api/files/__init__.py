"""Files of other tools, and posts of ReFrame."""
