"""How pages are made: templates, addresses, assets, cells, downloads."""
