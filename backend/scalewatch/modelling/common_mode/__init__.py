"""The common mode of a machine: what moves all its regions alike, and for how long."""
