"""Traced programs: overhead by location, efficiencies, and the report on them."""
