"""The home page: every project, its last weeks, and what is new to the reader."""
