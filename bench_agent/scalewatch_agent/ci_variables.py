"""The commit that a CI job is for, by the job's variables.

References
----------
GitHub Actions, "Default environment variables"; GitLab CI/CD, "Predefined variables";
Bitbucket Pipelines, "Variables and secrets"; Woodpecker CI, "Environment variables".
"""

import os
from collections.abc import Callable, Mapping
from typing import Any, Final

from pydantic import ValidationError

from scalewatch.wire import Commit
from scalewatch.wire.repositories import web_address

Environment = Mapping[str, str]

SHAS: Final = ("CI_COMMIT_SHA", "GITHUB_SHA", "BITBUCKET_COMMIT")
REPOSITORIES: Final = ("CI_PROJECT_URL", "CI_REPO_URL", "BITBUCKET_GIT_HTTP_ORIGIN")
SHORTEST: Final = 7
"""Letters of a hash that tell a commit."""


def completed(commit: Commit, environment: Environment = os.environ) -> Commit:
    """Return a commit with what the CI job for it knows besides.

    A job for another commit, such as a merge that exists in CI alone, knows only where
    the code lies.
    """
    readers: dict[str, Callable[[Environment], str | None]] = {
        "repository": _repository
    }
    if _is_of(commit, environment):
        readers |= {"author": _author, "message": _message}
    known = {
        name: value
        for name, read in readers.items()
        if not getattr(commit, name) and (value := read(environment))
    }
    stated: dict[str, Any] = {**commit.model_dump(exclude_none=True), **known}
    try:
        return Commit.model_validate(stated) if known else commit
    except ValidationError:  # a variable that somebody set to something else
        return commit


def _is_of(commit: Commit, environment: Environment) -> bool:
    """Tell whether the job is for a commit, abbreviated or not."""
    shas = filter(None, map(environment.get, SHAS))
    return len(commit.sha) >= SHORTEST and any(
        each.startswith(commit.sha) for each in shas
    )


def _repository(environment: Environment) -> str | None:
    server, name = map(environment.get, ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"))
    if server and name:
        return web_address(f"{server}/{name}")
    url = next(filter(None, map(environment.get, REPOSITORIES)), None)
    return web_address(url) if url else None


def _author(environment: Environment) -> str | None:
    name, _, _ = environment.get("CI_COMMIT_AUTHOR", "").partition(" <")
    return name.strip() or None


def _message(environment: Environment) -> str | None:
    return environment.get("CI_COMMIT_MESSAGE", "").strip().partition("\n")[0] or None
