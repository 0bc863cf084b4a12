"""Makes the folder that real_rows.py reads from what real_applications.py captured, without near duplicates: real_pack.py CAPTURED_DIR OUT_DIR

The pictures lie in the order of applications and launches, so that xz with a large dictionary packs them well.
"""
import json
import os
import pathlib
import sys

import numpy as np
from PIL import Image

SAME = 0.02  # share of the pixels in which pictures of one launch must differ at least


def pack(captured, out):
    kept, launch, earlier = [], None, []
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "pictures.bin"), "wb") as pictures:
        for path in sorted(pathlib.Path(captured).glob("*.json")):
            name, number, _ = path.stem.rsplit(".", 2)
            labels, picture = json.loads(path.read_text(encoding="utf-8")), np.asarray(Image.open(path.with_suffix(".png")))
            if (name, number) != launch:
                launch, earlier = (name, number), []
            if any((picture != other).any(axis=2).mean() < SAME for other in earlier):
                continue
            earlier.append(picture)
            kept.append({"seed": labels["seed"], "application": name, "first": labels["first"]})
            pictures.write(picture.tobytes())
    with open(os.path.join(out, "labels.json"), "w", encoding="utf-8") as file:
        json.dump(kept, file, ensure_ascii=False, separators=(",", ":"))
    print(len(kept), "screens of", len({labels["application"] for labels in kept}), "applications")


if __name__ == "__main__":
    pack(*sys.argv[1:])
