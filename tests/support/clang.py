"""clang, with the part of its run time that writes what a program has counted."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from scalewatch_agent.counts.clang import FLAGS

PACKAGES = ("clang", "llvm", "libclang-rt-dev")
HOW = f"apt-get install --no-install-recommends {' '.join(PACKAGES)}"
COMPILER = shutil.which("clang") or shutil.which("clang-14") or "clang"


@cache
def is_usable() -> bool:
    """Tell whether clang can build a program that counts."""
    if shutil.which(COMPILER) is None:
        return False
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "program.c").write_text("int main(void) { return 0; }\n")
        command = [COMPILER, *FLAGS.split(), "-o", "program", "program.c"]
        return not subprocess.run(
            command, cwd=folder, check=False, capture_output=True
        ).returncode
