"""What profilers say of the parts of a program: one module per format."""
