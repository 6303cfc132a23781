"""Which region takes most where the code is to run: a picture, and the same as text."""

from playwright.sync_api import Browser, Page, expect

HEIGHT = 900


def test_what_costs_most_at_scale_is_seen_at_once(large_page: Page):
    large_page.set_viewport_size({"width": 1440, "height": HEIGHT})
    large_page.goto("/p/hydro")

    large_page.get_by_role("link", name="Time", exact=True).click()

    expect(
        large_page.get_by_text("of the time on aurora is in MPI_Alltoall")
    ).to_be_visible()
    shares = large_page.get_by_role("figure", name="Share of each region")
    expect(shares.locator(".scatterlayer .fills path")).to_have_count(7)
    expect(shares.get_by_text("33 others")).to_be_visible()
    ranking = large_page.get_by_role("region", name="Ranking of regions")
    first = ranking.get_by_role("row").nth(1)
    expect(first).to_contain_text("MPI_Alltoall")
    for seen in (shares, first):
        box = seen.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= HEIGHT
    first.get_by_role("link").click()
    expect(large_page.get_by_role("heading", level=1)).to_have_text("MPI_Alltoall")
    expect(large_page.get_by_text("At p = 2,048, the time is forecast")).to_be_visible()


def test_shares_are_read_without_scripts(browser: Browser, large_site: str):
    context = browser.new_context(base_url=large_site, java_script_enabled=False)
    page = context.new_page()

    page.goto("/p/hydro/cost")

    shares = page.get_by_role("region", name="Shares over the number of processes")
    row = shares.get_by_role("row").nth(1)
    expect(row).to_contain_text("MPI_Alltoall")
    expect(row.get_by_role("cell").last).to_contain_text("61")
    context.close()
