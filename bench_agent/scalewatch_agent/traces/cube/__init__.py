"""Profiles of CUBE (.cubex): of Score-P, and of Scalasca with wait states."""
