"""Growth classes: algebra, notation, search space; models made of them."""
