"""What an experiment file may say: sections, their keys and types."""
