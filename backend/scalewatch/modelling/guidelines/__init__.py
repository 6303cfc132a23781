"""Rules between regions, f ⪯ g + h, and how surely they hold."""
