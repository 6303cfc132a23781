import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from scalewatch import figures
from scalewatch import plotly_bundle as plotly_bundles
from scalewatch.plotly_bundle import KINDS, bundle_version, plotly_bundle

REGISTERED = re.compile(rb'moduleType:"trace",name:"(\w+)"')
LAYOUT = {"level"}


@pytest.fixture
def cache(monkeypatch, tmp_path):
    """An empty cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    plotly_bundle.cache_clear()
    yield tmp_path
    plotly_bundle.cache_clear()


@pytest.fixture(scope="module")
def whole():
    return (files("plotly") / "package_data" / "plotly.min.js").read_bytes()


@pytest.mark.usefixtures("cache")
def test_bundle_of_the_installed_plotly_has_the_kinds_that_figures_use(whole):
    bundle = plotly_bundle()

    kinds = set(REGISTERED.findall(bundle))
    assert {b"scatter", *map(str.encode, KINDS)} <= kinds
    assert kinds.isdisjoint({b"scatter3d", b"scattermap", b"sankey", b"splom"})
    assert len(bundle) < 0.35 * len(whole)
    for module in Path(figures.__file__).parent.glob("*.py"):
        used = set(re.findall(r"\.add_(\w+)\(", module.read_text("utf-8"))) - LAYOUT
        assert {kind.encode() for kind in used} <= kinds, module.name


def test_bundle_is_made_once_and_kept(cache):
    made = plotly_bundle()

    [kept] = (cache / "scalewatch").iterdir()
    assert kept.name == f"{bundle_version()}.js"
    assert kept.read_bytes() == made
    kept.write_bytes(b"kept")
    plotly_bundle.cache_clear()
    assert plotly_bundle() == b"kept"


def test_bundle_that_cannot_be_kept_is_served(monkeypatch, tmp_path):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    plotly_bundle.cache_clear()

    assert b"plotly.js" in plotly_bundle()[:100]
    plotly_bundle.cache_clear()


SCRIPT = b"""var Plotly=(()=>{
var r=(f,m)=>()=>(m||f((m={exports:{}}).exports,m),m.exports);
var Ax=r((e,m)=>{m.exports={moduleType:"trace",name:"bar"}});
var Bx=r((e,m)=>{help();m.exports={moduleType:"trace",name:"cone"}}),
Cx=r((e,m)=>{m.exports=Bx()});
var Dx={};fill(Dx,{y:()=>Bx});
function fill(o,p){Object.assign(o,p)}
function help(){}
var Ex=r((e,m)=>{var c={register(l){this.all=l}};c.register([Cx(),Ax()]);m.exports=c});
return Ex();
})();
"""


def leaving_out(script: bytes) -> "subprocess.CompletedProcess[bytes]":
    """Let the process that makes bundles keep bars of a script."""
    maker = Path(plotly_bundles.__file__).with_name("plotly_modules.py")
    command = [sys.executable, "-P", maker, "bar"]
    return subprocess.run(command, input=script, capture_output=True, check=False)


def test_what_only_other_kinds_reach_is_left_out():
    lean = leaving_out(SCRIPT).stdout

    assert b"c.register([Ax()])" in lean
    assert b"cone" not in lean
    assert b"function help" not in lean
    assert b'name:"bar"' in lean
    assert b"return Ex();" in lean


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (b"var Plotly = 1;", b"does not declare Plotly as the value of a function"),
        (b"var Plotly = (() => {return 1})(", b"does not declare Plotly"),
        (SCRIPT.replace(b'name:"bar"', b'name:"rod"'), b"no module that registers bar"),
    ],
)
def test_script_of_another_layout_is_not_understood(script, reason):
    refused = leaving_out(script)

    assert refused.returncode == 1
    assert reason in refused.stderr
