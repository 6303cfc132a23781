"""The database itself: sessions, schema, bulk writing, backups."""
