"""Steps of `scalewatch-agent trace`: read traces of other tools, or record them."""
