"""What can be said where no growth of the space explains a series."""
