"""Commands about files: model, import, export."""
