"""Projects on the home page, their feeds and news."""
