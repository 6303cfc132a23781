"""How values and findings are put into words and marks."""
