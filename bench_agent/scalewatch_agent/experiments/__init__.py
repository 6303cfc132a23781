"""Experiments: any program, swept through parameters, from a file in YAML.

A file (`documents`, `schema`) names parameters (`parameters`, `expressions`), the steps
prepare, compile, execute and analyse (`steps`, `commands`), and where the results stand
in what the program writes (`results`). `sweep` puts them together: it asks a launcher
to execute each job, makes a run of what came out of it, and notes it in the `journal`,
so that an interrupted sweep goes on where it ended.
"""
