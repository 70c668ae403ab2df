"""Prints a page of this repository as a registry shows it: with absolute links, and with the
library by its version where the page has it by its path.

    python3 .ci/absolute_links.py PAGE ADDRESS VERSION

Links lead to the tag of the version: pictures to `ADDRESS/raw/vVERSION/…`, other files to
`ADDRESS/blob/vVERSION/…`, as GitHub and GitLab have them, and public modules of the library to
their documentation. Fails if a link leads to no file, or if one is left that is not absolute.
"""

import pathlib
import re
import sys

page, address, version = pathlib.Path(sys.argv[1]), sys.argv[2].rstrip("/"), sys.argv[3]
root = pathlib.Path(__file__).resolve().parent.parent
PICTURES = {".gif", ".jpg", ".png", ".svg", ".webp"}
LINK = re.compile(r'(\]\(|<img src=")([^)\s"]+)([)"])')
ABSOLUTE = ("https://", "http://", "#")
modules = set(re.findall(r"^pub mod (\w+);", (root / "src/lib.rs").read_text(), re.MULTILINE))


def absolute(match):
    before, link, after = match.groups()
    target, hash, part = link.partition("#")
    if link.startswith(ABSOLUTE):
        return match[0]
    path = (root / page.parent / target).resolve().relative_to(root)
    if not (root / path).exists():
        sys.exit(f"{page}: no file {path}")
    module = re.fullmatch(r"src/(\w+?)(/mod)?(?:/(\w+))?\.rs", path.as_posix())
    if module and module[1] in modules:
        names = [name for name in (module[1], module[3]) if name]
        page_of = f"https://docs.rs/floodplain/{version}/floodplain/{'/'.join(names)}/index.html"
        return before + page_of + after
    kind = "raw" if path.suffix in PICTURES else "blob"
    return f"{before}{address}/{kind}/v{version}/{path.as_posix()}{hash}{part}{after}"


def blocks():
    """The page in parts, each with whether it is a block of code."""
    for number, text in enumerate(re.split(r"^(```.*?^```$)", page.read_text(), flags=re.M | re.S)):
        yield number % 2 == 1, text


# The next version that is not compatible has another first number that is not 0.
major, minor, _ = version.split(".")
compatible = f"{major}.{minor}" if major == "0" else major
out = ""
for is_code, text in blocks():
    text = text if is_code else LINK.sub(absolute, text)
    text = text.replace('{ path = "../floodplain" }', f'"{compatible}"')
    out += text.replace('path = "../floodplain"', f'version = "{compatible}"')
    links = [] if is_code else [link for _, link, _ in LINK.findall(text)]
    left = [link for link in links if not link.startswith(ABSOLUTE)]
    if left or "../floodplain" in out:
        sys.exit(f"{page}: not absolute: {left}")
sys.stdout.write(out)
