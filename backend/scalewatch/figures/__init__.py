"""How a result looks: domain values in, a plotly figure out."""
