"""Opens the pages of catalogs in Chromium: axe finds no fault, nothing is too wide, and the search works by keyboard.

usage: pages.py CHROMIUM SITE…
Pages are checked in light and dark, at 360 and 1,440 pixels. Of a site with many plugins, the page of one plugin is checked.
"""

import pathlib
import sys

import axe_playwright_python
from playwright.sync_api import Browser, Page, TimeoutError, sync_playwright

AXE = (pathlib.Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
SIZES = [(360, 800), (1440, 900)]
# Of a site with more pages of plugins, one page is checked.
MANY = 40

faults: list[str] = []


def fault(page: Page, text: str) -> None:
    faults.append(f"{page.url}: {text}")


def watch(page: Page) -> None:
    """Reports errors of scripts and of the policy for content, and dialogs, which no page has."""
    page.on("pageerror", lambda error: fault(page, f"error of a script: {error}"))
    page.on("console", lambda message: message.type == "error" and fault(page, message.text))
    page.on("dialog", lambda dialog: (fault(page, "a dialog"), dialog.dismiss()))
    page.on("request", lambda request: request.url.startswith("file:") or fault(page, f"a request of {request.url}"))


def pages(site: pathlib.Path) -> list[pathlib.Path]:
    plugins = sorted(site.glob("plugins/*.html"))
    return sorted(site.glob("*.html")) + (plugins[:1] if len(plugins) > MANY else plugins)


def check_layout(page: Page, where: str) -> None:
    width, room = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    if width > room:
        fault(page, f"{where}: {width} pixels wide in a window of {room}")


def check_access(page: Page, where: str) -> None:
    page.evaluate(AXE)
    result = page.evaluate("axe.run(document, {resultTypes: ['violations'], preload: false})")
    for violation in result["violations"]:
        nodes = violation["nodes"]
        fault(page, f"{where}: axe {violation['id']}, {len(nodes)} times, first at {nodes[0]['target']}: {violation['help']}")


def check_pages(browser: Browser, site: pathlib.Path) -> int:
    count = 0
    for scheme in ("light", "dark"):
        for width, height in SIZES:
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            page = context.new_page()
            watch(page)
            for file in pages(site):
                page.goto(file.as_uri())
                # Closed parts have the same contrast and width only when they are open.
                page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
                where = f"{scheme}, {width} pixels"
                check_layout(page, where)
                # Thousands of elements of the same kind take minutes.
                if page.evaluate("document.querySelectorAll('*').length") < 6000:
                    check_access(page, where)
                count += 1
            context.close()
    return count


def check_search(browser: Browser, site: pathlib.Path) -> None:
    """Finds the first plugin of the site by keyboard alone."""
    page = browser.new_context(viewport={"width": 360, "height": 800}).new_page()
    watch(page)
    page.goto((site / "index.html").as_uri())
    link = page.locator(".plugins a").first
    name, target = link.text_content(), link.get_attribute("href")
    for steps in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "query":
            break
    else:
        return fault(page, "12 presses of Tab do not reach the search")
    page.keyboard.type(name)
    page.wait_for_selector("#results li a")
    check_access(page, "with results of the search")
    check_layout(page, "with results of the search")
    page.keyboard.press("ArrowDown")
    if page.evaluate("document.activeElement.querySelector('.name')?.textContent") != name:
        fault(page, f"the first result of the search for {name} is {page.evaluate('document.activeElement.textContent')}")
    page.keyboard.press("Escape")
    if page.evaluate("document.activeElement.id") != "query" or page.locator("#results").is_visible():
        fault(page, "Escape does not end the search")
    page.keyboard.type(name)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    try:
        page.wait_for_url(f"**/{target}", timeout=5000)
    except TimeoutError:
        fault(page, f"the first result of the search for {name} does not lead to {target}")
    page.context.close()


def check_failures(browser: Browser, site: pathlib.Path) -> None:
    """Checks the messages for search data that cannot be loaded and for a clipboard that cannot be written."""
    page = browser.new_context().new_page()
    page.on("pageerror", lambda error: fault(page, f"error of a script: {error}"))
    page.add_init_script("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.add_init_script("document.execCommand = () => false")
    page.route("**/catalog-search.js", lambda route: route.abort())
    page.goto((site / "index.html").as_uri())
    page.locator("#query").fill("a")
    count = page.locator("#result-count", has_text="The search cannot be loaded")
    try:
        count.wait_for(timeout=5000)
        page.unroute("**/catalog-search.js")
        page.locator("#query").fill("org")
        page.wait_for_selector("#results li a", timeout=5000)
    except TimeoutError:
        shown = page.locator("#result-count").text_content()
        fault(page, f"the search shows {shown!r} after search data that cannot be loaded")
    page.locator("#query").fill("")
    page.locator(".plugins a").first.click()
    button = page.locator("button.copy").first
    if button.count() > 0:
        button.click()
        if button.text_content() != "Selected" or page.locator("main > p.hidden").text_content() != "Not copied, but selected":
            fault(page, f"a button that cannot copy shows {button.text_content()!r}")
        try:
            button.filter(has_text="Copy").wait_for(timeout=5000)
        except TimeoutError:
            fault(page, "a button to copy is not reset")
    page.context.close()


def check_without_scripts(browser: Browser, site: pathlib.Path) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    watch(page)
    page.goto((site / "index.html").as_uri())
    for selector in ("form.search", "#results", "button.copy"):
        if page.locator(selector).count() > 0 and page.locator(selector).first.is_visible():
            fault(page, f"{selector} is visible without scripts")
    page.locator(".plugins a").first.click()
    if not page.locator("main h1").is_visible():
        fault(page, "has no visible heading without scripts")
    page.context.close()


def main(chromium: str, sites: list[str]) -> int:
    count = 0
    with sync_playwright() as playwright:
        # The sandbox of Chromium does not work in most containers. The pages are those of this repository.
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for site in map(pathlib.Path, sites):
            count += check_pages(browser, site)
            check_search(browser, site)
            check_failures(browser, site)
            check_without_scripts(browser, site)
        browser.close()
    print("\n".join(faults + [f"{count} views of pages checked, {len(faults)} faults"]))
    return 1 if faults else 0


sys.exit(main(sys.argv[1], sys.argv[2:]))
