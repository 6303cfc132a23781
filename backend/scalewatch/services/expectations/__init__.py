"""Growths that authors promise: declared, built in, in force."""
