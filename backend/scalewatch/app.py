"""The web application, put together."""
