"""Settings of a project, its webhooks, and logins."""
