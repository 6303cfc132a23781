import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.servers.ports import free_port

CHECKOUT = Path(__file__).parents[2]
BOUND = re.compile(r"(?P<name>[\w-]+)(?:\[[\w,]+\])?>=(?P<version>[\w.]+)")
UNREACHED = ("Connection", "timed out", "Temporary failure", "SSLError", "ProxyError")

SMOKE = """
import subprocess, sys, time, urllib.request
scalewatch, port, table = sys.argv[1:]
server = subprocess.Popen([scalewatch, "serve", "--port", port])
address = f"http://127.0.0.1:{port}"

def answer(path):
    try:
        with urllib.request.urlopen(address + path, timeout=60) as response:
            return response.status
    except OSError:
        return 0

try:
    while answer("/readyz") != 200:
        assert server.poll() is None
        time.sleep(0.2)
    said = ["--server", address, "--project", "heat", "--machine", "m"]
    subprocess.run([scalewatch, "import", table, *said, "--commit", "abc"], check=True)
    for path in ("/", "/p/heat", "/p/heat/r/solve", "/api/v1/projects", "/metrics"):
        assert answer(path) == 200, path
finally:
    server.terminate()
    assert server.wait() == 0
"""
"""Serves, imports a table and asks for pages."""


def lowest() -> list[str]:
    """The lowest version that is said to do, of each direct dependency."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    stated = [*project["dependencies"], *extras["server"], *extras["agent"]]
    bounds = [BOUND.match(each) for each in stated]
    return [f"{bound['name']}=={bound['version']}" for bound in bounds if bound]


@pytest.mark.thorough
@pytest.mark.skipif(
    sys.version_info >= (3, 13), reason="the lowest NumPy has no wheel for it"
)
def test_lowest_versions_of_all_dependencies_do(tmp_path):
    constraints = tmp_path / "lowest.txt"
    constraints.write_text("\n".join(lowest()), "utf-8")
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "pip", "--disable-pip-version-check", "install"]
    options = ["--quiet", "--constraint", constraints]

    installed = subprocess.run(
        [*pip, *options, f"{CHECKOUT}[server,agent]"],
        check=False,
        capture_output=True,
        text=True,
    )
    if installed.returncode and any(word in installed.stderr for word in UNREACHED):
        pytest.skip("the index of packages cannot be reached")

    assert installed.returncode == 0, installed.stderr[-2000:]
    table = CHECKOUT / "examples" / "solve.csv"
    command = environment / "bin" / "scalewatch"
    words = [command, str(free_port()), table]
    home = {"SCALEWATCH_HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    subprocess.run([sys.executable, "-c", SMOKE, *words], check=True, env=home)
