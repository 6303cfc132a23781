import os

from scalewatch.resources import bundled

TEMPLATES = str(bundled("frontend") / "templates")


def test_no_template_is_looked_at_again_for_a_change(client, monkeypatch):
    client.get("/start")
    looked_at = []
    modified = os.path.getmtime

    def noting(path):
        looked_at.append(str(path))
        return modified(path)

    monkeypatch.setattr(os.path, "getmtime", noting)

    assert client.get("/start").status_code == 200

    assert not [path for path in looked_at if path.startswith(TEMPLATES)]
