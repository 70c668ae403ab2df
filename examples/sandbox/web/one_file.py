"""Puts the page, miniquad's side of it and the module into a file: one_file.py GL_JS MODULE OUT."""

import base64
import gzip
import pathlib
import sys

gl_js, module, out = map(pathlib.Path, sys.argv[1:])
page = pathlib.Path(__file__).with_name("index.html").read_text()
packed = gzip.compress(module.read_bytes(), mtime=0)
for name, text in [("gl.js", gl_js.read_text()), ("module", base64.b64encode(packed).decode())]:
    assert "</script" not in text
    page = page.replace("{{%s}}" % name, text, 1)
out.write_text(page)
