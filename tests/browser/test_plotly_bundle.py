import pytest

from scalewatch.plotly_bundle import KINDS, plotly_bundle

TRACE = {"x": [1, 2, 3], "y": [1, 4, 9], "z": [[1, 2, 3], [2, 4, 6], [3, 6, 9]]}


@pytest.mark.parametrize("kind", ["scatter", *KINDS])
def test_bundle_draws_every_kind_that_it_keeps(small_context, kind):
    page = small_context.new_page()
    complaints = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.set_content("<div id=plot></div>")
    page.add_script_tag(content=plotly_bundle().decode())

    picture = page.evaluate(
        """async (trace) => {
          const layout = {shapes: [{type: "line", y0: 1, y1: 9}]};
          await Plotly.newPlot("plot", [trace], layout);
          return Plotly.toImage("plot", {format: "svg"});
        }""",
        TRACE | {"type": kind},
    )

    assert page.locator(f".{kind}layer .trace, .{kind}layer > *").count()
    assert picture.startswith("data:image/svg+xml")
    assert complaints == []
    page.close()
