"""Traces of Extrae in the format of Paraver: .prv or .prv.gz, with .pcf beside it."""
