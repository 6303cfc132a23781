"""OTF2 archives of Score-P, EZTrace and TAU, read by libotf2 in a child process."""
