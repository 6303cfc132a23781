"""Write the library as a git repository with a history that changes its growths.

    python examples/count/history.py FOLDER

Ten commits: three of them make work grow faster, the others change nothing of it.
Names and dates are fixed, so that commits have the same names wherever this runs.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

LIBRARY = Path(__file__).parent / "library"
EXPERIMENT = Path(__file__).parent / "library.yaml"
PERSON = {"NAME": "Ada", "EMAIL": "ada@example.org"}


class Edit(NamedTuple):
    """A commit: what it is about, and what it replaces by what in a file."""

    message: str
    file: str
    old: str
    new: str


EDITS = (
    Edit(
        "Explain the grid",
        "matrix.c",
        "/* A sparse matrix in compressed rows: five points on a square grid. */",
        "/* A sparse matrix in compressed rows.\n *\n"
        " * Five points on a square grid, numbered row by row. */",
    ),
    Edit(
        "Save the room that a growing table takes",
        "table.c",
        "    if (t->used == t->size)\n        make_room(t, 2 * t->size);\n",
        "    if (t->used % SMALLEST == 0 && t->used > 0)\n"
        "        t->entries = realloc(t->entries, (size_t)(t->used + SMALLEST)\n"
        "                                             * sizeof *t->entries);\n",
    ),
    Edit(
        "Name what is merged",
        "sort.c",
        "    int left = low, right = middle;",
        "    int left = low; /* of the first run */\n"
        "    int right = middle; /* of the second one */",
    ),
    Edit(
        "Count from one in the header",
        "library.h",
        "/* of each row, and the end */",
        "/* of each row, then the end of all */",
    ),
    Edit(
        "Do without the sizes of sets",
        "sets.c",
        "    if (s->members[one] < s->members[other]) {\n"
        "        int swap = one;\n        one = other;\n        other = swap;\n    }\n"
        "    s->parent[other] = one;\n"
        "    s->members[one] += s->members[other];\n",
        "    s->parent[one] = other;\n",
    ),
    Edit(
        "Say whom the search is after",
        "search.c",
        "/* How often a word occurs in a text, after Knuth, Morris and Pratt. */",
        "/* Knuth, Morris and Pratt: how often a word occurs in a text.\n */\n",
    ),
    Edit(
        "Begin at the lowest rank",
        "broadcast.c",
        "    int reach = 1;\n    while (reach < size) {",
        "    int reach = 1;\n\n    while (reach < size) {",
    ),
    Edit(
        "Let each process tell all after it",
        "broadcast.c",
        "    while (reach < size) {\n"
        "        if (rank < reach && rank + reach < size)\n"
        "            MPI_Send(value, 1, MPI_DOUBLE, rank + reach, 0, MPI_COMM_WORLD);\n"
        "        else if (rank >= reach && rank < 2 * reach)\n"
        "            MPI_Recv(value, 1, MPI_DOUBLE, rank - reach, 0, MPI_COMM_WORLD,\n"
        "                     MPI_STATUS_IGNORE);\n"
        "        reach *= 2;\n    }\n",
        "    for (int from = 0; from < rank; from++)\n"
        "        MPI_Recv(value, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,\n"
        "                 MPI_STATUS_IGNORE);\n"
        "    for (int to = rank + reach; to < size; to++)\n"
        "        MPI_Send(value, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);\n",
    ),
    Edit(
        "Thank whoever reads this",
        "main.c",
        "/* Put the library to work:",
        "/* Thanks for reading. Put the library to work:",
    ),
)


def write_history(folder: Path) -> None:
    """Write the repository into a folder that is not there, with its experiment."""
    shutil.copytree(LIBRARY, folder)
    shutil.copy(EXPERIMENT, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "Begin a library", day=1)
    for day, edit in enumerate(EDITS, start=2):
        path = folder / edit.file
        text = path.read_text()
        if text.count(edit.old) != 1:
            sys.exit(f"{edit.file} does not have what “{edit.message}” replaces")
        path.write_text(text.replace(edit.old, edit.new))
        commit(folder, edit.message, day)


def commit(folder: Path, message: str, day: int) -> None:
    """Commit all files, at noon of a day of January 2026."""
    git(folder, "add", "--all")
    date = {"DATE": f"2026-01-{day:02}T12:00:00Z"}
    who = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (PERSON | date).items()
    }
    git(folder, "commit", "--quiet", "--message", message, **who)


def git(folder: Path, *words: str, **environment: str) -> None:
    """Run git in a folder, untouched by the settings of whoever runs this."""
    subprocess.run(  # noqa: S603, the commands are ours
        ["git", "-c", "commit.gpgsign=false", *words],  # noqa: S607, the user's git
        cwd=folder,
        env=os.environ | environment,
        check=True,
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    write_history(Path(sys.argv[1]))
