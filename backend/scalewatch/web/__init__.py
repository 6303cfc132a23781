"""What the API and the pages share of HTTP: who asks, and what protects both."""
