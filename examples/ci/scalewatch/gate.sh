#!/bin/sh
# Scalewatch gates itself: measure how its own work grows with the store, post that to a
# server (SCALEWATCH_SERVER, SCALEWATCH_TOKEN), and let the gate answer. In a checkout
# after `python3 bootstrap.py --dev`; 0 fine, 1 worse, 2 undecided, 3 could not tell.
set -eu
top=$(git rev-parse --show-toplevel)
sha=$(git -C "$top" rev-parse HEAD)
table=$(mktemp -d)/growth.csv
export PATH="$top/.venv/bin:$PATH"

cd "$top"
for job in 1 2; do # what one job alone says stops nobody
    python -m benchmarks growth --measurements="${MEASUREMENTS:-3200000}" --database=sqlite --table="$table"
    scalewatch import "$table" --project scalewatch --machine "$(uname -n)" \
        --commit "$sha" --parent "$(git rev-parse HEAD^)" --suite growth --branch main
done
scalewatch expectations push examples/ci/scalewatch/scalewatch.toml
scalewatch gate --project scalewatch --commit "$sha"
