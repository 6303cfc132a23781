"""Projects and their match table."""
