"""Plays the page of the package in a headless browser: check_page.py FOLDER BROWSER PICTURE.
Fails with one line that says why.

A tenth of the page must become water, it must spread, and nothing may be logged as an error.
"""

import functools
import http.server
import io
import sys
import threading
import time

from PIL import Image
from playwright.sync_api import sync_playwright

SIZE = {"width": 960, "height": 600}
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"]
FLAGS.append("--no-sandbox")
# The least share of the picture that becomes water, and the seconds that a busy machine has for it.
WATER, PATIENCE = 0.1, 60


class Quiet(http.server.SimpleHTTPRequestHandler):
    extensions_map = {".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html"}

    def log_message(self, *_):
        """Says nothing: requests that fail are errors of the page."""


def water(page):
    """Returns a picture of the page, and the share of its pixels that are blue."""
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    small = picture.resize((320, 200))
    pixels = [small.getpixel((x, y)) for x in range(320) for y in range(200)]
    return picture, sum(blue > 1.5 * red and blue > 60 for red, _, blue in pixels) / len(pixels)


def main(folder, browser, file):
    handler = functools.partial(Quiet, directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    errors = []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=FLAGS)
        page = chromium.new_page(viewport=SIZE)
        page.on("console", lambda message: message.type == "error" and errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda request: errors.append("failed: " + request.url))
        page.goto(f"http://127.0.0.1:{server.server_port}/page.html")
        page.wait_for_timeout(500)
        _, few = water(page)
        page.mouse.click(480, 300)
        end, many = time.monotonic() + PATIENCE, few
        while many < max(WATER, few + 0.01) and not errors and time.monotonic() < end:
            page.wait_for_timeout(500)
            picture, many = water(page)
            picture.save(file)
        chromium.close()
    print(f"water: {few:.0%} of the picture, then {many:.0%}")
    if errors:
        sys.exit(f"errors on the console: {errors}")
    if many < max(WATER, few + 0.01):
        sys.exit("no water is seen to spread")


main(*sys.argv[1:4])
