#!/usr/bin/env python3
"""Puts all mutants into one copy of the crate, each switched on by its name at run time.

Untch, Offutt and Harrold, Mutation Analysis Using Mutant Schemata, ISSTA 1993: the crate is built
once and not once for each mutant.

    schemata.py CRATE PATCH...

CRATE is changed. Each patch must replace whole statements, a tail expression, or the value of a
`let` on one line. The mutant is the one named by the environment variable FLOODPLAIN_MUTANT.
"""

import difflib
import pathlib
import re
import subprocess
import sys
import tempfile

SWITCH = '''
/// Returns the number of the mutant that is switched on, 0 for none.
#[doc(hidden)]
pub fn mutant() -> u32 {
    static NUMBER: std::sync::LazyLock<u32> = std::sync::LazyLock::new(|| {
        let name = std::env::var("FLOODPLAIN_MUTANT").unwrap_or_default();
        MUTANTS.iter().position(|mutant| *mutant == name).map_or(0, |at| at as u32 + 1)
    });
    *NUMBER
}
'''


def changes(crate, patch):
    """Returns the file of a patch, and (first line, end line, new lines)."""
    file = re.search(r"^--- a/(\S+)$", patch.read_text(), re.M).group(1)
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / file
        copy.parent.mkdir(parents=True)
        copy.write_text((crate / file).read_text())
        subprocess.run(["patch", "--quiet", "-p1", "-d", folder, "-i", patch.resolve()], check=True)
        old = (crate / file).read_text().splitlines()
        new = copy.read_text().splitlines()
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    blocks = [block for block in blocks if block[0] != "equal"]
    if not blocks:
        sys.exit(f"{patch.name} changes nothing")
    first, end = blocks[0][1], blocks[-1][2]
    return file, (first, end, new[blocks[0][3] : blocks[-1][4]])


def switched(old, arms):
    """Returns lines that do what `old` does, or what an arm does whose mutant is on."""
    name = re.match(r"\s*let (\w+) = .*;$", old[0]) if len(old) == 1 else None
    if name:
        value = lambda lines: [re.match(r"\s*let \w+ = (.*);$", lines[0]).group(1)]
        old, arms = value(old), [(number, value(new)) for number, new in arms]
    lines = [f"let {name.group(1)} = match crate::mutant() {{" if name else "match crate::mutant() {"]
    for number, new in arms:
        lines += [f"{number} => {{", *new, "}"]
    return lines + ["_ => {", *old, "}", "};" if name else "}"]


def main():
    crate, patches = pathlib.Path(sys.argv[1]), [pathlib.Path(path) for path in sys.argv[2:]]
    places = {}
    for number, patch in enumerate(patches, 1):
        file, (first, end, new) = changes(crate, patch)
        places.setdefault(file, {}).setdefault((first, end), []).append((number, new))
    for file, ranges in places.items():
        lines = (crate / file).read_text().splitlines()
        last = len(lines)
        for (first, end), arms in sorted(ranges.items(), reverse=True):
            if end > last:
                sys.exit(f"{file}: two mutants overlap at line {first + 1}")
            lines[first:end] = switched(lines[first:end], arms)
            last = first
        (crate / file).write_text("\n".join(lines) + "\n")
    names = ", ".join(f'"{patch.stem}"' for patch in patches)
    lib = crate / "src/lib.rs"
    lib.write_text(f"{lib.read_text()}\nconst MUTANTS: [&str; {len(patches)}] = [{names}];\n{SWITCH}")


main()
