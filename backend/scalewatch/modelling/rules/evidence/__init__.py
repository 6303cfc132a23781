"""The evidence of each candidate growth, by Bayes' rule."""
