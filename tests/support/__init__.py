"""What tests share: builders, servers, generated truth."""
