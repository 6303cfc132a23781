"""Counts of programs that gcc has instrumented.

gcc writes the graph of each function beside the object, a process the counters of some
arcs when it ends (`notes`); all other arcs follow, and loops are what the graph says
(`graphs`). `gcov --json-format` knows lines, but no loops, so the files are read here;
a test compares what both say.
"""
