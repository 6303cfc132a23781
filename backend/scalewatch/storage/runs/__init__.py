"""Runs, their series, points, repetitions and profiles."""
