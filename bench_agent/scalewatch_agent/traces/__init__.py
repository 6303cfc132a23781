"""Traces of MPI programs: where communication spends its time, and what it waits for.

Readers (`own`, `paraver`) turn a trace of any format into a `trace.Trace`;
`matching` finds the messages, `waits` the wait states, `efficiencies` the factors of
POP, and `reduction` sums them up by source location. Traces stay where they were
written: only the sums travel (`results`).
"""
