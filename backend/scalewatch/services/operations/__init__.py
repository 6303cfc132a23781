"""Running the product: its state, retention and replay."""
