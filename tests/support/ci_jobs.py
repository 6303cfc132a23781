"""Jobs of CI systems, run here: steps of an action, scripts of a component."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(sys.executable).parent
EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}")


def scripts_of(document: Any) -> Iterator[str]:
    """Yield all scripts of a workflow, an action or a pipeline."""
    if isinstance(document, Mapping):
        for name, value in document.items():
            if name in {"run", "script", "before_script"}:
                yield from [value] if isinstance(value, str) else value
            else:
                yield from scripts_of(value)
    elif isinstance(document, list):
        for each in document:
            yield from scripts_of(each)


def documents_of(file: Path) -> list[Any]:
    """Return the documents of a YAML file."""
    return [*yaml.safe_load_all(file.read_text("utf-8"))]


def empty_wheel(folder: Path) -> Path:
    """Write a package that pip installs without a network."""
    file = folder / "nothing-1-py3-none-any.whl"
    head = "Metadata-Version: 2.1\nName: nothing\nVersion: 1\n"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("nothing-1.dist-info/METADATA", head)
        wheel.writestr(
            "nothing-1.dist-info/WHEEL",
            "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        wheel.writestr("nothing-1.dist-info/RECORD", "")
    return file


@dataclass
class Job:
    """A run of the action in a checkout.

    Parameters
    ----------
    event
        Of the forge: `push`, `pull_request`, `workflow_run`.
    """

    checkout: Path
    temporary: Path
    event: str
    inputs: Mapping[str, str]
    variables: Mapping[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)

    def run(self) -> int:
        """Run the steps in their order; return the exit code of the first failure."""
        self.temporary.mkdir(exist_ok=True)
        (action,) = documents_of(ROOT / "action.yml")
        inputs = {name: str(i["default"]) for name, i in action["inputs"].items()}
        self._context = {"inputs": inputs | dict(self.inputs)}
        code = 0
        for step in action["runs"]["steps"]:
            condition = str(step.get("if", "true"))
            is_always = "cancelled()" in condition
            if "run" in step and (not code or is_always) and self._holds(condition):
                ended = self._step(step)
                code = code or ended
        return code

    def file(self, name: str) -> Path:
        """Return a file that steps write for the forge."""
        return self.temporary / name

    def _step(self, step: Mapping[str, Any]) -> int:
        environment = {
            name: EXPRESSION.sub(lambda m: self._value(m[1].strip()), value)
            for name, value in step.get("env", {}).items()
        }
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.checkout,
            env=os.environ
            | {
                "PATH": f"{PROGRAMS}:{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_ACTION_PATH": str(ROOT),
                "GITHUB_PATH": str(self.file("path")),
                "GITHUB_OUTPUT": str(self.file("output")),
                "GITHUB_STEP_SUMMARY": str(self.file("summary")),
                "GITHUB_EVENT_NAME": self.event,
            }
            | self.variables
            | environment,
            check=False,
            capture_output=True,
            text=True,
        )
        self.said[step["name"]] = done.stdout + done.stderr
        return done.returncode

    def _value(self, name: str) -> str:
        kind, _, rest = name.partition(".")
        if kind == "inputs":
            return self._context["inputs"][rest]
        return {"github.token": "a-token", "github.event_name": self.event}[name]

    def _holds(self, condition: str) -> bool:
        """Tell whether a condition holds: comparisons that are joined by `&&`."""
        for part in condition.strip("${} ").split("&&"):
            left, sign, right = part.strip().partition(" != ")
            if not sign:
                left, sign, right = part.strip().partition(" == ")
            if left in {"true", "!cancelled()"}:
                continue
            is_equal = self._value(left) == right.strip("'")
            if is_equal == ("!" in sign):
                return False
        return True


def pipeline_job(
    name: str, checkout: Path, inputs: Mapping[str, str], variables: Mapping[str, str]
) -> subprocess.CompletedProcess[str]:
    """Run a job of the GitLab component, as a runner's shell does."""
    head, _ = documents_of(ROOT / "templates/scalewatch.yml")
    text = (ROOT / "templates/scalewatch.yml").read_text("utf-8").split("\n---\n")[1]
    for key, stated in head["spec"]["inputs"].items():
        value = inputs.get(key, stated["default"])
        text = text.replace(f"$[[ inputs.{key} ]]", value)
    jobs = yaml.safe_load(text)
    job = jobs[".scalewatch"] | jobs[name]
    script = "\n".join([*job["before_script"], *job["script"]])
    return subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=checkout,
        env=os.environ
        | {"PATH": f"{PROGRAMS}:{os.environ['PATH']}"}
        | job["variables"]
        | {"CI_PROJECT_DIR": str(checkout)}
        | variables,
        check=False,
        capture_output=True,
        text=True,
    )
