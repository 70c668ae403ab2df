"""Compares two pictures of one scene: compare_pictures.py NEW RECORDED.

Drivers round differently, and a recorded picture has fewer colours (0.5 in the flooded valley); so
both are scaled down, and their pixels may differ by a little in the mean. A tick after the
dam broke it differs by 10.1. Fails with one line that says by how much.
"""

import sys

from PIL import Image, ImageChops, ImageStat

SIZE = (160, 90)
# Of 255, in the mean of pixels and channels.
MOST = 1.0


def scaled(path):
    return Image.open(path).convert("RGB").resize(SIZE, Image.Resampling.BOX)


new, recorded = map(scaled, sys.argv[1:3])
means = ImageStat.Stat(ImageChops.difference(new, recorded)).mean
difference = sum(means) / len(means)
if difference > MOST:
    sys.exit(f"{sys.argv[1]} differs from {sys.argv[2]} by {difference:.1f} of 255, at most {MOST} is expected")
print(f"{sys.argv[1]} is {sys.argv[2]} but for {difference:.1f} of 255")
