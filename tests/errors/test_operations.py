import pytest

from scalewatch.errors.operations import command_of

REPOSITORY = "https://git.example.org/scalewatch.git"


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        ({}, "pip install 'scalewatch[agent] @ git+<repository URL>'"),
        (
            {
                "url": REPOSITORY,
                "vcs_info": {
                    "vcs": "git",
                    "commit_id": "0c4f",
                    "requested_revision": "x",
                },
            },
            f"pip install 'scalewatch[agent] @ git+{REPOSITORY}@0c4f'",
        ),
        (
            {"url": "file:///opt/scalewatch", "dir_info": {"editable": True}},
            "pip install -e '/opt/scalewatch[agent]'",
        ),
        (
            {"url": "file:///opt/scalewatch", "dir_info": {}},
            "pip install 'scalewatch[agent] @ file:///opt/scalewatch'",
        ),
        (
            {
                "url": "file:///opt/scalewatch.whl",
                "archive_info": {},
            },
            "pip install 'scalewatch[agent] @ file:///opt/scalewatch.whl'",
        ),
    ],
    ids=["index", "repository", "editable", "folder", "wheel"],
)
def test_an_extra_is_added_from_where_the_installation_came(origin, command) -> None:
    assert command_of("agent", origin) == command
