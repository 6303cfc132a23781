"""Calibration: how long calls of MPI take at their best, t_max.

A program makes calls under ideal circumstances and is traced like any other one
(`recording.calibrating`), so that what tracing costs is in t_max as well; `cells` finds
t_max in its traces, `table` interpolates, `kept` knows where tables are.
"""
