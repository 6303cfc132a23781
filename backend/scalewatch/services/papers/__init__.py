"""Documents about scaling that people hand in: the section of a proposal."""
