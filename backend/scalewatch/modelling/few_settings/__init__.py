"""Series of fewer settings than a growth needs: what they tell all the same."""
