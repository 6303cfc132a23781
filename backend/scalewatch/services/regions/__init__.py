"""One region: its models, forecasts, figures and status quo."""
