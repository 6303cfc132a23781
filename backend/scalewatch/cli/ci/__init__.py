"""Commands for CI jobs: gate, bisect, expectations."""
