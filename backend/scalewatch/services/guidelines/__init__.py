"""Rules between regions, f ⪯ g + h: which hold, which are broken."""
