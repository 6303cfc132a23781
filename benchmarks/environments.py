"""Peers live in environments of their own, beside the checkout."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

TOP = Path(__file__).parent.parent


def python_with(package: str, folder: str, variable: str) -> Path:
    """Return an interpreter that has a package; install it where there is none.

    Parameters
    ----------
    package
        With its exact version, `name==1.2`.
    folder
        Where the environment is made.
    variable
        That names another interpreter.
    """
    if variable in os.environ:
        return Path(os.environ[variable])
    environment = TOP / folder
    python = environment / "bin" / "python"
    if not python.exists():
        uv = shutil.which("uv")
        create = [uv, "venv", "--quiet"] if uv else [sys.executable, "-m", "venv"]
        install = (
            [uv, "pip", "install", "--quiet", "--python", python]
            if uv
            else [python, "-m", "pip", "install", "--quiet"]
        )
        subprocess.run([*create, environment], check=True)
        subprocess.run([*install, package], check=True)
    return python
