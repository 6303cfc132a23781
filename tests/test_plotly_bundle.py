import re
import subprocess
import sys
from pathlib import Path

import pytest

from scalewatch import figures
from scalewatch import plotly_bundle as plotly_bundles
from scalewatch.plotly_bundle import KINDS, bundle_path, plotly_bundle, whole_plotly

REGISTERED = re.compile(rb'moduleType:"trace",name:"(\w+)"')
LAYOUT = {"band", "box", "level", "shape"}
"""Methods of figures that are drawn by other traces, or by the layout."""
FRONTEND = Path(__file__).parents[1] / "frontend"


def test_bundle_of_the_installed_plotly_has_the_kinds_that_figures_use():
    bundle = plotly_bundle()

    kinds = set(REGISTERED.findall(bundle))
    assert {b"scatter", *map(str.encode, KINDS)} <= kinds
    assert kinds.isdisjoint({b"scatter3d", b"scattermap", b"sankey", b"splom"})
    assert len(bundle) < 0.35 * len(whole_plotly())
    for module in Path(figures.__file__).parent.glob("*.py"):
        used = set(re.findall(r"\.add_(\w+)\(", module.read_text("utf-8"))) - LAYOUT
        assert {kind.encode() for kind in used} <= kinds, module.name


def test_bundle_is_the_file_that_setting_up_the_checkout_made():
    [made] = (FRONTEND / "build").iterdir()

    assert made == bundle_path()
    assert made.read_bytes() == plotly_bundle()


def test_whole_script_is_served_where_none_was_trimmed_which_the_log_says_once(
    monkeypatch, caplog
):
    monkeypatch.setattr(plotly_bundles, "KINDS", (*KINDS, "cone"))
    plotly_bundle.cache_clear()

    assert [plotly_bundle(), plotly_bundle()] == [whole_plotly()] * 2
    [message] = caplog.messages
    assert str(bundle_path()) in message
    plotly_bundle.cache_clear()


def test_script_of_another_plotly_is_not_served(monkeypatch):
    monkeypatch.setattr(plotly_bundles, "version", lambda _: "7.0.99")
    plotly_bundle.cache_clear()

    assert plotly_bundle() == whole_plotly()
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
    """Let a process of its own, as what reads JavaScript may abort, keep bars."""
    program = (
        "import sys; from trim_plotly import without_other_kinds as trim;"
        "sys.stdout.buffer.write(trim(sys.stdin.buffer.read(), frozenset({b'bar'})))"
    )
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=FRONTEND, input=script, capture_output=True, check=False
    )


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
