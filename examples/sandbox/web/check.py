"""Plays the sandbox in a headless browser: check.py FILE BROWSER. Fails with a line that says why.

The page is opened as a file, without a server. Water that is poured on dry ground must be seen
there; the tour must come to the lines that are recorded in `scripts/tour.expected`, which the
desktop's test compares as well, and so must its beginning as a script in the address; and nothing
may be logged as an error.
"""

import io
import pathlib
import sys
import time
import urllib.parse

from PIL import Image
from playwright.sync_api import sync_playwright

SIZE = {"width": 960, "height": 600}
# Dry ground in the first picture of the plain, before the dikes.
PLACE = (576, 432)
# Seconds until a line must have come.
PATIENCE = 150

FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--no-sandbox"]


class Page:
    """The page, and what it has logged."""

    def __init__(self, page):
        self.page, self.lines, self.errors = page, [], []
        page.on("console", self.log)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("requestfailed", lambda request: self.errors.append("failed: " + request.url))

    def log(self, message):
        self.lines.append(message.text)
        if message.type == "error" or "panicked" in message.text.lower():
            self.errors.append(message.text)

    def wait_for(self, start):
        """Waits until a line that begins so is logged, and returns it."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in self.lines:
                if line.startswith(start):
                    return line
            if self.errors:
                break
            self.page.wait_for_timeout(100)
        sys.exit(f"no line {start!r} was logged: {self.lines} {self.errors}")

    def shot(self):
        return Image.open(io.BytesIO(self.page.screenshot())).convert("RGB")


def blue_share(picture, radius=45):
    """Returns the share of pixels round the place that are as blue as water."""
    x, y = PLACE
    part = picture.crop((x - radius, y - radius, x + radius, y + radius))
    pixels = [part.getpixel((x, y)) for x in range(2 * radius) for y in range(2 * radius)]
    return sum(blue > 1.15 * red and blue > 0.9 * green for red, green, blue in pixels) / len(pixels)


def check_water(page):
    for key in ["F5", "3", "]", "]"]:  # the plain; pour; wider
        page.page.keyboard.press(key)
    page.page.wait_for_timeout(3000)
    before = blue_share(page.shot())
    page.page.mouse.move(*PLACE)
    page.page.mouse.down()
    # A machine that is busy draws few frames, and pours in few of them.
    end, after = time.monotonic() + PATIENCE, before
    while after <= before + 0.2 and time.monotonic() < end:
        page.page.wait_for_timeout(500)
        picture = page.shot()
        after = blue_share(picture)
    page.page.mouse.up()
    picture.save("target/check/poured.png")
    print(f"water round the click: {before:.0%} of the pixels before it, {after:.0%} after it")
    if not after > before + 0.2:
        sys.exit("no water is seen where it was poured")


def check_tour(page, expected):
    page.page.keyboard.press("p")
    compare(page, expected)


def compare(page, expected):
    """Waits for the end of a script; its lines must be these."""
    page.wait_for("script: end")
    start = "script: tick "
    lines = [line.removeprefix("script: ") for line in page.lines if line.startswith(start)]
    for line in lines:
        print("script:", line)
    if lines != expected:
        sys.exit(f"the script came to {lines}, not to {expected}")


def beginning(tour):
    """Returns the lines of the tour before tick 21, of which two print, and their end."""
    lines = [line for line in tour.splitlines() if not line.startswith("#")]
    return "\n".join([line for line in lines if int(line.split()[0]) < 21] + ["20 end"])


def main(file, browser):
    scripts = pathlib.Path(__file__).parent.parent / "scripts"
    expected = (scripts / "tour.expected").read_text().splitlines()
    address = pathlib.Path(file).as_uri()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = Page(chromium.new_page(viewport=SIZE))
        page.page.goto(address)
        print("browser:", page.wait_for("first picture"))
        check_water(page)
        check_tour(page, expected)
        page.page.close()
        script = urllib.parse.quote(beginning((scripts / "tour.txt").read_text()))
        scripted = Page(chromium.new_page(viewport=SIZE))
        scripted.page.goto(f"{address}?script={script}")
        compare(scripted, expected[:2])
        chromium.close()
    if errors := page.errors + scripted.errors:
        sys.exit(f"errors on the console: {errors}")
    print("the sandbox plays in the browser as on the desktop")


main(*sys.argv[1:3])
