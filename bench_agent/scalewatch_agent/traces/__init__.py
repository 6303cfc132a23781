"""Traces of MPI programs: where communication spends its time, and what it waits for.

Readers (`own`, `paraver`) turn a trace of any format into a `trace.Trace`;
`messages` finds the messages, `collectives` the collective operations, `waits` the wait
states, `efficiencies` the factors of POP, and `reduction` sums them up by source
location. A trace is never held as a whole:
rows that are many stay in files (`stored`), and are read some at a time.
Traces stay where they were written: only the sums travel (`results`).
"""
