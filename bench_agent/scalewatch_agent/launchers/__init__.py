"""How programs are started, followed and ended on this host."""
