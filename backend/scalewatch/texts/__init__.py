"""Texts as people and programs write them: cells, names of settings, and patterns."""
