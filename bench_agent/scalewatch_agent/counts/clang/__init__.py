"""Counts of programs that clang has instrumented.

clang counts regions of the source, and `llvm-cov export` says how often each was
entered; which of them are bodies of loops says the source itself (`bodies`).
"""
