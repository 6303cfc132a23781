"""Stores of run reports in a folder or on a branch, without a server.

* `places` — where a store lies: a tree of files that is changed as a whole
* `branches` — a branch of a git repository as such a place
* `files` — names and lines: a JSON Lines file for each job and commit
* `store` — add, read, check and compact

Whoever may write there may write numbers: what is read is bounded and checked as a post
is, and names of files are made here, never taken from what was sent.
"""
