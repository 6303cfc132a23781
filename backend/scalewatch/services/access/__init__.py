"""Access: callers and their roles, tokens, policies and the audit log."""
