"""Screens of real applications among the generator's, in its form: the folder holds pictures.bin (896×504 RGB, one behind the
other) and labels.json (a list). A screen is shown somewhat moved, or as the closer look at one of its texts."""
import json
import os

import numpy as np

from questions import HEIGHT, WIDTH

UNKNOWN = 255  # in a map: what the patch holds isn't known
FARTHEST = (48, 28)  # px that a screen is moved, across and down
CLOSER_SHARE = 0.25


class RealScreens:
    def __init__(self, folder, random):
        self.random = random
        with open(os.path.join(folder, "labels.json")) as file:
            self.labels = json.load(file)
        self.pictures = np.memmap(os.path.join(folder, "pictures.bin"), np.uint8, "r").reshape(-1, HEIGHT, WIDTH, 3)

    def row(self, frame, map_):
        """Fills a picture and its map, and returns the labels."""
        number = self.random.randrange(len(self.labels))
        screen = self.labels[number]["first"]
        map_[:] = UNKNOWN
        texts = [box for text, box, letters in screen["runs"] if len(letters) == len(text) and box[2] < WIDTH / 2]
        if texts and self.random.random() < CLOSER_SHARE:
            return self._closer(number, screen, self.random.choice(texts), frame)
        return {"first": self._moved(number, screen, frame)}

    def _moved(self, number, screen, frame):
        dx, dy = (self.random.randint(-most, most) for most in FARTHEST)
        picture = self.pictures[number]
        frame[:] = picture[self.random.randrange(HEIGHT), self.random.choice((0, WIDTH - 1))]  # of the desktop, mostly
        shown = lambda d, length: slice(max(0, d), min(length, length + d))
        frame[shown(dy, HEIGHT), shown(dx, WIDTH)] = picture[shown(-dy, HEIGHT), shown(-dx, WIDTH)]
        return relabelled(screen, lambda x, y: (x + dx, y + dy), 1)

    def _closer(self, number, screen, target, frame):
        width, height = WIDTH // 2, HEIGHT // 2
        start = lambda at, size, part, whole: min(max(round(at + size / 2 - part / 2), 0), whole - part)
        left, top = start(target[0], target[2], width, WIDTH), start(target[1], target[3], height, HEIGHT)
        frame[:] = doubled(self.pictures[number, top:top + height, left:left + width])
        closer = relabelled(screen, lambda x, y: ((x - left) * 2, (y - top) * 2), 2)
        return {"first": closer, "zoom": {"target": target, "part": [left, top, width, height]}}


def relabelled(screen, to, factor):
    """The labels with all places moved and enlarged; what is no longer wholly in the picture is left out."""
    items, runs = [], []
    def box_of(box):
        x, y = to(*box[:2])
        moved = [x, y, box[2] * factor, box[3] * factor]
        return moved if x >= 0 and y >= 0 and x + moved[2] <= WIDTH and y + moved[3] <= HEIGHT else None

    for item in screen["items"]:
        if box := box_of(item["box"]):
            items.append({**item, "box": box})
    for text, box, letters in screen["runs"]:
        if moved := box_of(box):
            runs.append([text, moved, [to(x, 0)[0] for x in letters]])
    return {"items": items, "runs": runs, "titles": screen["titles"]}


def doubled(picture):
    """Twice as large by the cubic convolution that the product enlarges with (OpenCV's, a = -0.75)."""
    weights = np.array([-0.03515625, 0.26171875, 0.87890625, -0.10546875], np.float32)  # at distances 1.75, 0.75, 0.25, 1.25
    out = picture.astype(np.float32)
    for axis in (0, 1):
        n = out.shape[axis]
        taken = [np.take(out, np.clip(np.arange(n) + k, 0, n - 1), axis) for k in (-2, -1, 0, 1, 2)]
        even = sum(w * t for w, t in zip(weights, taken[:4]))
        odd = sum(w * t for w, t in zip(weights[::-1], taken[1:]))
        out = np.stack([even, odd], axis + 1).reshape(*out.shape[:axis], 2 * n, *out.shape[axis + 1:])
    return np.clip(out + 0.5, 0, 255).astype(np.uint8)
