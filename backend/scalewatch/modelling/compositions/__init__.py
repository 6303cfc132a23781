"""Models composed of those of other regions: `13*8*N/triad + 2*parallel`."""
