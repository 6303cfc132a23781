"""Dashboard that tracks whether HPC codes still scale the way they should.

Read it from the inside out: `modelling` says what measurements mean, `storage`
what is remembered, `services` what the product does; `api`, `pages` and `jobs`
are three thin ways to ask for it.
"""
