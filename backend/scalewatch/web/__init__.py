"""HTTP that the API and the pages share: sessions of callers, protection, answers."""
