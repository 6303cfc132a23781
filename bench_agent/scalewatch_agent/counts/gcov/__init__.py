"""Counts of programs that gcc has instrumented.

gcc writes the graph of each function beside the object (`notes`), a process the
counters of some arcs when it ends (`counters`); all other arcs follow (`flow`), and
loops are what the graph says (`loops`). `gcov --json-format` knows lines, but no loops,
so the files are read here; a test compares what both say.
"""
