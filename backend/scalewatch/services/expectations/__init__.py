"""Expectations of authors: declared, built in, in force."""
