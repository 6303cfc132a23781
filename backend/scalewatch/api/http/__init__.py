"""What all routes share: problem documents, answers, their description."""
