"""The gate of CI jobs: whether a commit, or a version of files, may pass.

`decision` decides over pairs of series, by `rules`, and keeps `findings`; `wording` has
its sentence. `gate` and `circumstances` adapt commits of a server, `files` files.
"""
