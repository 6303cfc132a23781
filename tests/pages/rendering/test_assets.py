import gzip
import re
from importlib.metadata import version

import pytest

from scalewatch import plotly_bundle as plotly_bundles
from scalewatch.pages.rendering.assets import PLOTLY, asset_version
from scalewatch.plotly_bundle import plotly_bundle
from support.recorded import record_project

FOR_GOOD = "public, max-age=31536000, immutable"
MODULE = re.compile(
    r'(?:type="module" src|rel="modulepreload" href)="(/static/\w+/js/[\w-]+\.js)"'
)
IMPORT = re.compile(r'^import .* from "\./([\w-]+\.js)";', re.MULTILINE)


def test_page_links_its_assets_by_version_for_good(client):
    links = re.findall(r'(?:href|src)="(/static/[^"]+)"', client.get("/").text)

    assert len(links) >= 3
    for link in links:
        response = client.get(link)
        assert response.status_code == 200
        assert response.headers["cache-control"] == FOR_GOOD


@pytest.mark.parametrize("address", ["/", "/p/openmpi/r/MPI_Gather"])
def test_page_names_every_module_that_its_scripts_import(client, sessions, address):
    record_project(sessions)

    links = MODULE.findall(client.get(address).text)

    named = {link.rpartition("/")[2] for link in links}
    imported = {
        name for link in links for name in IMPORT.findall(client.get(link).text)
    }
    assert "search-dialog.js" in imported
    assert imported <= named


def test_plotly_comes_from_the_installed_package_compressed(client):
    address = f"/static/{asset_version(PLOTLY)}/{PLOTLY}"

    response = client.get(address, headers={"accept-encoding": "gzip"})

    assert version("plotly") in address
    assert response.headers["content-encoding"] == "gzip"
    assert int(response.headers["content-length"]) < 500_000
    assert b"plotly.js" in response.content[:100]


def test_whole_plotly_has_another_address_than_the_trimmed(monkeypatch):
    trimmed = asset_version(PLOTLY)
    monkeypatch.setattr(plotly_bundles, "KINDS", ("cone",))
    for cached in (asset_version, plotly_bundle):
        cached.cache_clear()

    whole = asset_version(PLOTLY)

    for cached in (asset_version, plotly_bundle):
        cached.cache_clear()
    assert whole != trimmed


def test_a_client_that_cannot_decompress_gets_it_plain(client):
    address = f"/static/{asset_version('icon.svg')}/icon.svg"

    response = client.get(address, headers={"accept-encoding": "identity"})

    assert "content-encoding" not in response.headers
    assert response.text.startswith("<svg")


def test_asset_of_another_version_is_not_kept(client):
    response = client.get("/static/yesterday/css/main.css")

    assert response.status_code == 200
    assert response.headers["cache-control"] == "no-cache"


def test_style_is_one_file_with_all_its_layers(client):
    style = client.get(f"/static/{asset_version('css/main.css')}/css/main.css").text

    assert "@import" not in style
    assert "--verdict-match: #009e73" in style
    assert re.search(r"@layer components \{\s*[^}]*\.verdict", style)


@pytest.mark.parametrize(
    "path", ["nonesuch.js", "../templates/base.html", "%2e%2e/templates/base.html"]
)
def test_only_listed_files_are_served(client, path):
    assert client.get(f"/static/x/{path}").status_code == 404


def test_compressed_asset_is_the_file(client):
    address = f"/static/{asset_version('js/keys.js')}/js/keys.js"
    with client.stream("GET", address, headers={"accept-encoding": "gzip"}) as raw:
        compressed = b"".join(raw.iter_raw())

    assert gzip.decompress(compressed).startswith(b"/**")


def test_a_client_that_knows_zstandard_gets_the_smaller_file(client):
    address = f"/static/{asset_version(PLOTLY)}/{PLOTLY}"
    sizes = {}
    for encoding in ("gzip", "gzip, zstd"):
        with client.stream(
            "GET", address, headers={"accept-encoding": encoding}
        ) as raw:
            sizes[raw.headers["content-encoding"]] = int(raw.headers["content-length"])

    assert sizes["zstd"] < 0.95 * sizes["gzip"]
