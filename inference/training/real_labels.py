"""What can be seen on a screen of real applications, as labels of the screen generator's form: AT-SPI trees against the picture.

A thing of which it isn't certain where it is, or what it shows, is left out. Boxes are x, y, w, h in px.
"""
import collections
import random as random_module
import subprocess
import time

import numpy as np
from PIL import Image, ImageFont

from questions import HEIGHT, WIDTH

KINDS = {"push button": "button", "toggle button": "button", "check box": "check box", "radio button": "radio button", "menu": "menu", "menu item": "menu item",
         "check menu item": "menu item", "radio menu item": "menu item", "page tab": "tab", "table cell": "cell", "tree item": "tree item", "list item": "list item",
         "icon": "list item", "label": "label", "text": "text field", "entry": "text field", "combo box": "combo box", "spin button": "spin box", "slider": "slider",
         "link": "link", "scroll bar": "scroll bar", "progress bar": "progress bar", "table column header": "column header", "column header": "column header",
         "terminal": "text area"}
CLIPPING = {"frame", "dialog", "window", "scroll pane", "viewport", "table", "tree table", "list", "tree", "file chooser", "alert", "internal frame", "layered pane"}


def inside(box, outer, slack=1):
    return box[0] >= outer[0] - slack and box[1] >= outer[1] - slack and box[0] + box[2] <= outer[0] + outer[2] + slack and box[1] + box[3] <= outer[1] + outer[3] + slack


def common(box, other):
    x, y = max(box[0], other[0]), max(box[1], other[1])
    return (x, y, min(box[0] + box[2], other[0] + other[2]) - x, min(box[1] + box[3], other[1] + other[3]) - y)


def ink_mask(picture, box):
    """(x, y) and [h, w] bool: which pixels differ from the box's most common colour; None where none does."""
    x, y, w, h = box
    part = picture[y:y + h, x:x + w].astype(np.int32)
    if part.size == 0:
        return None, None
    values, counts = np.unique(part[..., 0] << 16 | part[..., 1] << 8 | part[..., 2], return_counts=True)
    ground = values[counts.argmax()]
    drawn = np.abs(part - np.array([ground >> 16, ground >> 8 & 255, ground & 255])).max(axis=2) > 40
    return ((x, y), drawn) if drawn.any() else (None, None)


def ink(picture, box):
    """The box of what is drawn in the box, and its share of the pixels."""
    at, drawn = ink_mask(picture, box)
    if at is None:
        return None, 0
    rows, columns = np.flatnonzero(drawn.any(axis=1)), np.flatnonzero(drawn.any(axis=0))
    return (at[0] + int(columns[0]), at[1] + int(rows[0]), int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1), float(drawn.mean())


class Letters:
    """How wide texts are in a font, so that they can be found in a picture."""

    def __init__(self, family, sizes_px):
        path = subprocess.run(["fc-match", "-f", "%{file}", family], capture_output=True, text=True, check=True).stdout
        self.font, self.sizes_px = ImageFont.truetype(path, 100), sizes_px

    def find(self, picture, box, text):
        """(box of the ink, column of each letter) of a text's only line in the box, or None."""
        _, drawn = ink_mask(picture, box)
        if drawn is None or len(text) < 2:
            return None
        filled = np.flatnonzero(drawn.any(axis=0))
        parts = np.split(filled, np.flatnonzero(np.diff(filled) > 3) + 1)
        best = None
        for size in self.sizes_px:
            ends = [self.font.getlength(text[:i + 1]) * size / 100 for i in range(len(text))]
            width = ends[-1] - 1
            for i, first in enumerate(parts):
                for last in parts[i:]:
                    error = abs(last[-1] - first[0] + 1 - width)
                    if error <= max(1.5, 0.035 * width) and (best is None or error < best[0]):
                        rows = np.flatnonzero(drawn[:, first[0]:last[-1] + 1].any(axis=1))
                        if 0.5 * size <= rows[-1] - rows[0] + 1 <= 1.6 * size:
                            best = error, int(first[0]), int(last[-1] - first[0]) + 1, int(rows[0]), int(rows[-1] - rows[0]) + 1, ends
        if best is None:
            return None
        _, x, w, y, h, ends = best
        scale = (w + 1) / ends[-1]
        return (box[0] + x, box[1] + y, w, h), [box[0] + x + (a + b) / 2 * scale for a, b in zip([0] + ends, ends)]


def applications(pids):
    """The roots of the trees of these processes, as they are now."""
    import pyatspi
    from gi.repository import GLib
    while GLib.MainContext.default().iteration(False):
        pass
    found, desktop = [], pyatspi.Registry.getDesktop(0)
    desktop.clear_cache()
    for application in desktop:
        try:
            if application is not None and application.get_process_id() in pids:
                application.clear_cache()
                found.append(application)
        except Exception:  # gone, or not answering
            continue
    return found


class Harvest:
    """Walks the accessibility trees of one application and keeps what can certainly be seen."""

    def __init__(self, display, pids, look, with_text, picture=None):
        import pyatspi
        self.atspi, self.display, self.look, self.picture, self.with_text = pyatspi, display, look, picture, with_text
        self.windows = display.windows()
        self.items, self.runs, self.keys, self.shown = [], [], [], []
        self.characters, self.end = 1600, time.time() + 8
        for application in applications(pids):
            try:
                if (application.toolkitName, application.toolkitVersion[:2]) == ("GTK", "4."):
                    continue  # its trees don't say what is shown
                for window in application:
                    self.toplevel(window)
            except Exception:  # gone, or not answering
                continue

    def toplevel(self, node):
        states = node.getState()
        if not states.contains(self.atspi.STATE_SHOWING):
            return
        box, name = self.extents(node), node.name or ""
        popup = node.getRoleName() in ("popup menu", "menu", "window") and not any(title == name and name for *_, title in self.windows)
        managed = [w for w in self.windows if not w[3]]
        candidates = [w for w in managed if w[4] == name] or managed
        if popup or not candidates:
            self.window = None
        else:
            off = lambda w: abs(w[1][0] - box[0]) + abs(w[1][1] - box[1]) + abs(w[1][2] - box[2]) + abs(w[1][3] - box[3])
            self.window = min(candidates, key=off)
            if off(self.window) > 240:  # shadows that the window draws itself are all that may differ
                return
        self.layer = self.windows.index(self.window) if self.window else len(self.windows)
        self.walk(node, (0, 0, self.display.width, self.display.height), 0, "", False)

    def extents(self, node):
        box = node.queryComponent().getExtents(self.atspi.DESKTOP_COORDS)
        return box.x, box.y, box.width, box.height

    def top_at(self, x, y):
        for window in reversed(self.windows):
            fx, fy, fw, fh = window[0]
            if fx <= x < fx + fw and fy <= y < fy + fh:
                return window
        return None

    def can_be_seen(self, box, in_menu):
        """Nothing of another window lies over it, and what belongs into a menu lies in a popup."""
        x, y, w, h = box
        points = [(x + w / 2, y + h / 2)] + [(x + 1 + (w - 3) * i / 3, y + 1 + (h - 3) * j) for i in range(4) for j in range(2)]
        tops = [self.top_at(*point) for point in points]
        if in_menu:
            return all(top is not None and top[3] and top is tops[0] for top in tops) and inside(box, tops[0][0])
        return all(top is not None and top is self.window for top in tops)

    def walk(self, node, clip, depth, parent_role, in_menu):
        atspi = self.atspi
        if depth > 28 or time.time() > self.end:
            return
        role = node.getRoleName()
        states = node.getState()
        if depth and not states.contains(atspi.STATE_SHOWING):
            return
        try:
            box = self.extents(node)
        except NotImplementedError:
            box = None
        sane = box is not None and box[2] > 1 and box[3] > 1 and abs(box[0]) < 9000 and abs(box[1]) < 9000
        if sane and role in CLIPPING:
            clip = common(clip, box)
            if clip[2] < 4 or clip[3] < 4:
                return
        below_menu = in_menu or role == "popup menu" or (role in ("menu", "menu item") and parent_role not in ("menu bar", "")) or (self.window is None)
        if sane and depth:
            self.take(node, role, states, box, clip, parent_role, in_menu or parent_role in ("menu", "popup menu") or self.window is None)
        if role in ("combo box", "spin button", "slider", "scroll bar", "push button", "table column header", "check box", "radio button", "text", "entry"):
            return
        if role == "terminal":
            return
        for k in range(min(node.childCount, 400)):
            child = node[k]
            if child is not None:
                try:
                    self.walk(child, clip, depth + 1, role, below_menu and role != "menu bar")
                except Exception:  # gone, or not answering: left out
                    if time.time() > self.end:
                        return

    def text_of(self, node):
        try:
            text = node.queryText()
        except NotImplementedError:
            return None, ""
        count = text.characterCount
        return text, text.getText(0, min(count, 4000)) if count > 0 else ""

    def take(self, node, role, states, box, clip, parent_role, in_menu):
        atspi = self.atspi
        kind = KINDS.get(role)
        if kind is None:
            if role in ("status bar", "heading", "paragraph", "static", "panel", "filler", "section"):
                self.shown.append(((node.name or "").strip(), common(box, clip)))
            return
        if kind not in ("text field", "combo box"):
            self.shown.append(((node.name or "").strip(), common(box, clip)))
        if kind == "menu item" and parent_role == "menu bar":
            kind = "menu"
        if kind == "menu" and parent_role != "menu bar":
            kind = "menu item"
        if kind == "cell":
            kind = {"tree table": "tree item", "tree": "tree item", "list": "list item"}.get(parent_role, "cell")
        visible = common(box, clip)
        if visible[2] < 5 or visible[3] < 6 or visible[2] * visible[3] < 0.75 * box[2] * box[3]:
            return
        cut = visible != box
        if kind == "menu":
            in_menu = False
        if not self.can_be_seen(visible, in_menu):
            return
        name = (node.name or "").strip()
        if "\n" in name or "\u2026" in name and len(name) < 3:
            name = ""
        if any(ord(c) > 0x2500 and not c.isalnum() for c in name):
            return
        item = {"kind": kind, "box": list(visible), "layer": self.layer}
        if not (states.contains(atspi.STATE_SENSITIVE) or states.contains(atspi.STATE_ENABLED)):
            item["disabled"] = True
        if any(states.contains(s) for s in (atspi.STATE_CHECKED, atspi.STATE_PRESSED)) or kind in ("tab", "cell", "tree item", "list item") and states.contains(atspi.STATE_SELECTED):
            item["checked"] = True
        if self.window and self.window[4]:
            item["title"] = self.window[4]
        key = (kind, tuple(visible), name, item.get("checked", False))
        self.keys.append(key)
        if not self.with_text:
            return
        drawn, share = ink(self.picture, visible)
        text, content = self.text_of(node) if role in ("label", "text", "entry", "table cell", "spin button", "terminal", "link") else (None, "")
        if kind in ("text field", "spin box", "text area"):
            multi = states.contains(atspi.STATE_MULTI_LINE) or role == "terminal"
            if multi:
                item["kind"] = "text area"
            if "password" in role:
                return
            item["value"] = content.split("\n")[0][:60]
            if states.contains(atspi.STATE_FOCUSED) and kind == "text field":
                item["focused"] = True
            if text is not None and content.strip():
                self.lines(text, content, visible)
        elif kind == "combo box":
            item["value"] = name
            if not name or cut:
                return
        elif kind in ("slider", "progress bar", "scroll bar"):
            if kind == "slider":
                try:
                    item["value"] = str(int(node.queryValue().currentValue))
                except NotImplementedError:
                    pass
            if drawn is None:
                return
        elif not self.named(item, role, name, visible, cut, drawn, share, text, content):
            return
        if drawn is None and kind != "text area":
            return
        item["key"] = key
        self.items.append(item)

    def plausible(self, text, width):
        """Whether the text can be as wide as this at all."""
        em = self.look.font_px * len(text)
        return 0.28 * em <= width <= 1.1 * em + 8

    def named(self, item, role, name, visible, cut, drawn, share, text, content):
        """Puts the name, or the name of the symbol, into an item; False where it isn't certain what it shows."""
        kind = item["kind"]
        _, _, w, h = visible
        if not name or drawn is None or share < 0.004:
            return False
        inner = (visible[0] + 3, visible[1] + 3, w - 6, h - 6) if kind in ("button", "tab", "column header") else visible
        found = self.look.letters.find(self.picture, inner, name) if h < 4 * self.look.font_px else None
        if kind in ("button", "check box", "radio button") and not found:
            if cut or len(name) > 40:
                return False
            needs = 0.5 * self.look.font_px * len(name)
            if w < 1.5 * h and len(name) > 3 and needs > 0.9 * w:
                item["icon"], item["kind"] = name.lower(), "button"
                return True
            if kind == "button" and not (len(name) == 1 or name.isdigit() and needs < w):
                return False
            if kind != "button" and not self.plausible(name, drawn[2] - 1.4 * self.look.font_px):
                return False
        if kind in ("label", "link"):
            if content and content.strip() != name or drawn[3] > 2.5 * self.look.font_px or not self.plausible(name, drawn[2]):
                return False
            item["box"] = list(common((drawn[0] - 2, drawn[1] - 3, drawn[2] + 4, drawn[3] + 6), visible))
        if kind in ("check box", "radio button") and item["kind"] == kind:
            item["box"] = list(common((drawn[0] - 2, visible[1], drawn[2] + 4, h), visible))
        item["text"] = name
        if text is not None and content.strip():
            self.lines(text, content, visible)
        elif found and len(name) < 60:
            self.run(name, common((found[0][0] - 1, found[0][1] - 2, found[0][2] + 2, found[0][3] + 4), visible), found[1])
        return True

    def lines(self, text, content, clip):
        """The lines of a text that are wholly visible, with the column of each letter."""
        start = 0
        if len(content) > 1500 or self.characters <= 0:
            return
        for line in content.split("\n"):
            begin, start = start, start + len(line) + 1
            stripped = line.strip()
            if not stripped or len(stripped) > 59 or "\ufffc" in line or "\t" in stripped or self.characters < len(line):
                continue
            begin += len(line) - len(line.lstrip())
            first = text.getCharacterExtents(begin, self.atspi.DESKTOP_COORDS)
            if first[0] < clip[0] - 1 or first[1] < clip[1] - 1 or first[1] + first[3] > clip[1] + clip[3] + 1:
                if first[1] > clip[1] + clip[3]:
                    return
                continue
            self.characters -= len(stripped)
            boxes = [tuple(text.getCharacterExtents(begin + i, self.atspi.DESKTOP_COORDS))[:4] for i in range(len(stripped))]
            x, y, right = boxes[0][0], boxes[0][1], boxes[-1][0] + boxes[-1][2]
            box = (x, y, right - x, boxes[0][3])
            one_line = all(abs(b[1] - y) <= 2 for b in boxes) and all(a[0] < b[0] for a, b in zip(boxes, boxes[1:])) and all(0 < b[2] < 60 for b in boxes)
            if one_line and 6 <= box[3] <= 60 and inside(box, clip, 2):
                self.run(stripped, list(box), [b[0] + b[2] / 2 for b in boxes])

    def run(self, text, box, columns):
        box = [int(v) for v in box]
        if not self.can_be_seen(box, self.window is None):
            return
        drawn, share = ink(self.picture, box)
        if drawn is None or share < 0.02 or drawn[2] < 0.7 * box[2] - 6:
            return  # nothing of that length is written there
        self.runs.append((text, box, columns))

    def uncertain(self, items):
        """What may be seen but isn't labelled, as things too small to be asked for: so nobody asks for their names as if they weren't there, or for namesakes."""
        apart = lambda a, b: common(a, b)[2] <= 0 or common(a, b)[3] <= 0
        found = []
        for name, box in self.shown:
            if name and "\n" not in name and box[2] > 3 and box[3] > 3 and all(apart(i["box"], box) for i in items if name.lower() in (i.get("text", "").lower(), i.get("icon"))):
                found.append({"kind": "group", "text": name, "box": [box[0], box[1], 1, 1], "layer": 0})
        for _, client, _, popup, title in self.windows:  # the window manager's own buttons
            if not popup:
                found += [{"kind": "window button", "icon": name, "title": title, "box": [client[0], client[1], 1, 1], "layer": 0} for name in ("close", "maximize", "minimize")]
        return found

    def title_bars(self):
        """Items of the title bars that openbox draws."""
        for layer, (frame, client, _, popup, title) in enumerate(self.windows):
            height = client[1] - frame[1]
            box = (frame[0] + 4, frame[1] + 2, frame[2] - 8, height - 3)
            needs = self.look.font_px * 0.62 * len(title)
            if popup or not title or height < 10 or height > 50 or needs > frame[2] - 110 or not inside(box, (0, 0, self.display.width, self.display.height), 0):
                continue
            self.window = self.windows[layer]
            if self.can_be_seen(box, False):
                self.items.append({"kind": "title bar", "box": list(box), "layer": layer, "text": title, "title": title, "key": ("title bar", title)})


def same(picture, other, box):
    x, y, w, h = box
    return bool((picture[y:y + h, x:x + w] == other[y:y + h, x:x + w]).all(axis=2).mean() > 0.97)


def labels_of(display, pids, look, picture):
    """Labels of the picture, with what was there before and after it was taken and did not change meanwhile."""
    before = collections.Counter(Harvest(display, pids, look, False).keys)
    harvest = Harvest(display, pids, look, True, picture)
    harvest.title_bars()
    later = display.picture()
    items = [i for i in harvest.items if (i["key"][0] == "title bar" or before[i["key"]]) and same(picture, later, i["box"])]
    runs = [r for r in harvest.runs if same(picture, later, r[1])]
    for item in items:
        del item["key"]
    items += harvest.uncertain(items)
    return items, runs, [w[4] for w in harvest.windows if not w[3]]


def scaled(picture, items, runs, factor):
    """In px of an 896×504 picture."""
    if factor != 1:
        picture = np.asarray(Image.fromarray(picture).resize((WIDTH, HEIGHT), Image.Resampling.BOX if random_module.random() < 0.5 else Image.Resampling.LANCZOS))
    shrink = lambda box: [round(box[0] / factor), round(box[1] / factor), max(1, round(box[2] / factor)), max(1, round(box[3] / factor))]
    for item in items:
        item["box"] = shrink(item["box"])
    return picture, items, [[text, shrink(box), [int(c / factor) for c in columns]] for text, box, columns in runs]


def is_written_at(picture, box):
    """Whether a text begins and ends where its box does, with nothing close beside it, as its own letters would be."""
    x, y, w, h = box
    gap = 3 if h < 19 else 4
    left, right = x - gap - 2, x + w + gap + 3
    if left < 0 or right > WIDTH:
        return False
    at, drawn = ink_mask(picture, (left, y, right - left, h))
    if at is None or drawn.mean() < 0.02:
        return False
    filled = "".join("#" if column else " " for column in drawn.any(axis=0))
    begin = filled.rfind(" " * gap, 0, gap + 6) + gap
    end = filled.find(" " * gap, len(filled) - gap - 9)
    return begin >= gap and end >= 0 and filled[begin:begin + 1] == "#" and filled[end - 1:end] == "#" and abs(left + begin - x) <= 3 and -5 <= left + end - x - w <= 3


def is_misplaced(picture, box):
    """Whether a text's box is so far off that what is written there doesn't fill it."""
    drawn, _ = ink(picture, box)
    return drawn is None or drawn[0] > box[0] + 5 or drawn[0] + drawn[2] < box[0] + box[2] - 6


def cuts_letters(picture, box):
    """Whether something is drawn across the box's left edge that isn't a line along it."""
    x, y, w, h = box
    at, drawn = ink_mask(picture, (max(0, x - 1), y, w, h))
    return at is not None and any(0.1 < share < 0.8 for share in drawn[:, :2].mean(axis=0))


def checked(picture, items, runs):
    """Labels without what the picture contradicts: trees place the cells of some tables wrongly."""
    overlap = lambda a, b: common(a, b)[2] > 0 and common(a, b)[3] > 0
    good = [[text.replace("\xa0", " "), box, columns] for text, box, columns in runs if is_written_at(picture, box)]
    wrong = [(text, box) for text, box, _ in runs if is_misplaced(picture, box)]
    written = ("cell", "tree item", "list item", "label")
    votes = {}  # by column: whether each of its things lies in the wrong place
    for item in items:
        if item["kind"] in written:
            misplaced = any(text == item["text"] and overlap(box, item["box"]) for text, box in wrong)
            votes.setdefault((item["box"][0], item["box"][2]), []).append(4 if misplaced else item["kind"] != "label" and cuts_letters(picture, item["box"]))
    columns = {column for column, cut in votes.items() if sum(cut) > 0.4 * len(cut)}
    for item in items:
        for key in ("text", "value"):
            if key in item:
                item[key] = item[key].replace("\xa0", " ").strip()
        if item["kind"] in written and (item["box"][0], item["box"][2]) in columns or len(item.get("text", "")) > 60:
            item.update(kind="group", box=item["box"][:2] + [1, 1])
    return items, good
