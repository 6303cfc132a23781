"""The match table: regions × machines, as Table 2 of the paper."""
