"""Who may do what: callers, tokens, policies and the audit log."""
