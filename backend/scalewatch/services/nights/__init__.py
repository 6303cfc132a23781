"""Histories of series, and what the nights of machines do to them."""
