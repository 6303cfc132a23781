"""Foreign files: modelled offline, imported, exported."""
