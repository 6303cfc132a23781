"""Problem documents, answers and their description, shared by all routes."""
