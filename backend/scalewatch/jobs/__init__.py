"""What happens later: open a session, call one service."""
