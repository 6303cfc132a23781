"""Exact counts of work: how often functions are called and loops run.

Each method (`gcov`) is an instrument of a sweep (`experiments.instruments`): it says
what a program is compiled with, how its jobs are started, and what they have counted.
`regions` names what was counted, the same for all methods.
"""
