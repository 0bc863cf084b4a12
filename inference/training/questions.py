"""Questions and one-line goals about one screen, with their right answers. Everything derives from the generator's labels."""

WIDTH, HEIGHT = 896, 504  # of the picture, in the unit of all boxes


def place(x, y):
    """Model space: thousandths of the picture's width and height, always three digits."""
    return "%03d" % min(999, max(0, int(x / WIDTH * 1000))), "%03d" % min(999, max(0, int(y / HEIGHT * 1000)))


def centre(box):
    return place(*middle(box))


def middle(box):
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def spot(random, box, training):
    """A point to ask about: the middle, in training often another place well inside."""
    x, y = middle(box)
    if not training or random.random() < 0.5:
        return x, y
    return x + box[2] * random.uniform(-0.3, 0.3), y + box[3] * random.uniform(-0.2, 0.2)


def quoted(random, text):
    return random.choice([text, text, text, f'"{text}"', f"'{text}'"])


class Scene:
    """The labels of one screen, indexed for asking."""

    def __init__(self, labels, random):
        self.random = random
        self.items = labels["items"]
        self.runs = [(text, box, columns) for text, box, columns in labels["runs"] if text and box[2] > 3 and box[3] > 5]
        self.titles = labels["titles"]
        counts, icon_counts = {}, {}
        for item in self.items:
            if item.get("text"):
                counts[item["text"].lower()] = counts.get(item["text"].lower(), 0) + 1
            elif item.get("icon") and item["kind"] != "window button":
                icon_counts[item["icon"]] = icon_counts.get(item["icon"], 0) + 1
        run_counts = {}
        for text, *_ in self.runs:
            run_counts[text] = run_counts.get(text, 0) + 1
        pointable = [i for i in self.items if i["box"][2] >= 5 and i["box"][3] >= 5]
        self.named = [i for i in pointable if i.get("text") and counts[i["text"].lower()] == 1 and i["kind"] not in ("clock", "group") and len(i["text"]) < 40]
        self.active = [i for i in self.named if not i.get("disabled") and i["kind"] != "label"]
        self.icons = [i for i in pointable if i.get("icon") and not i.get("text") and i["kind"] != "window button" and icon_counts[i["icon"]] == 1]
        titles = [t for t in self.titles if self.titles.count(t) == 1 and t]
        self.window_buttons = [i for i in pointable if i["kind"] == "window button" and i.get("title") in titles and len(i["title"]) < 40]
        self.unique_runs = [(text, box) for text, box, _ in self.runs if run_counts[text] == 1 and len(text) < 40]
        self.fields = self._labelled_fields()
        self.can_type = any(item.get("focused") and item["kind"] == "text field" for item, _ in self.fields)
        self.written = set(counts) | {text.lower() for text, *_ in self.runs}
        self.texts = self.written | {i["icon"].lower() for i in self.items if i.get("icon")}

    def spelled(self, text, box):
        """Label of an answer that is read off: its text and, where it is one run in the box, where each letter stands."""
        for run, place, columns in self.runs:
            x, y = middle(place)
            if run == text and len(columns) == len(text) and box[0] <= x <= box[0] + box[2] and box[1] <= y <= box[1] + box[3]:
                return {"spelled": text, "letters": [(column, y) for column in columns]}
        return {"spelled": text}

    def _labelled_fields(self):
        """Fields, combo boxes and the like with the label directly left of them."""
        found = []
        labels = [i for i in self.items if i["kind"] == "label" and i.get("text")]
        for item in self.items:
            if item["kind"] not in ("text field", "combo box", "spin box", "slider"):
                continue
            x, y, w, h = item["box"]
            near = [l for l in labels if l["layer"] == item["layer"] and abs(l["box"][1] + l["box"][3] / 2 - y - h / 2) < 8 and 0 <= x - l["box"][0] - l["box"][2] < 220]
            near.sort(key=lambda l: x - l["box"][0] - l["box"][2])
            if near:
                name = near[0]["text"].rstrip(":")
                if name and sum(1 for f, n in found if n == name) == 0:
                    found.append((item, name))
            elif item["kind"] == "text field" and item.get("text"):
                found.append((item, item["text"]))
        names = [name for _, name in found]
        return [(item, name) for item, name in found if names.count(name) == 1]


WHERE = ["Where is {}?", "Where is {}?", "Point at {}.", "Find {}.", "Locate {}"]
KIND_NAMES = {"task button": "task bar entry", "window button": "button", "tree item": "item", "list item": "item"}


def describe(random, item):
    """A name for an item with a text of its own."""
    text = quoted(random, item["text"])
    if random.random() < 0.4 and item["kind"] != "label":
        kind = KIND_NAMES.get(item["kind"], item["kind"])
        return random.choice([f"the {text} {kind}", f"the {kind} {text}"])
    return text


def pick_target(scene, random, active=False, training=False):
    """(how it is called, item, how) of something on the screen, or None; in training more often what is hard."""
    kinds = []
    named = scene.active if active else scene.named
    if active and training and random.random() < 0.15:
        named = scene.named  # a click on a label, a heading, something grey
    if named:
        kinds += ["named"] * 12
    if scene.icons:
        kinds += ["icon"] * (6 if training else 3)
    if scene.window_buttons:
        kinds += ["window"] * 2
    if scene.fields:
        kinds += ["field"] * 4
    if not active and scene.unique_runs:
        kinds += ["run"] * 4
    if not active and scene.named:
        kinds += ["beside"] * (9 if training else 5)
    if not kinds:
        return None
    kind = random.choice(kinds)
    if kind == "named":
        small = [item for item in named if min(item["box"][2:]) < 16] if training and random.random() < 0.35 else []
        item = random.choice(small or named)
        return describe(random, item), item, kind
    if kind == "icon":
        item = random.choice(scene.icons)
        name = item["icon"]
        if not any(name in text for text in scene.written) and random.random() < 0.4:
            return quoted(random, name.capitalize()), item, kind  # as a tool tip names it
        return random.choice(["the {} icon", "the {} symbol", "the {} button"]).format(name), item, kind
    if kind == "window":
        item = random.choice(scene.window_buttons)
        return f"the {item['icon']} button of {quoted(random, item['title'])}", item, kind
    if kind == "field":
        item, name = random.choice(scene.fields)
        noun = {"text field": "field"}.get(item["kind"], item["kind"])
        return random.choice([f"the {quoted(random, name)} {noun}", f"the {noun} {quoted(random, name)}", f"the {noun} right of {quoted(random, name)}"]), item, kind
    if kind == "run":
        text, box = random.choice(scene.unique_runs)
        return f"the text {quoted(random, text)}", {"kind": "text", "text": text, "box": box}, kind
    return beside(scene, random)


def beside(scene, random):
    """"the check box below Wrap": the nearest thing of a kind in a direction."""
    for _ in range(6):
        anchor = random.choice(scene.named)
        direction = random.choice(["left of", "right of", "above", "below"])
        ax, ay = anchor["box"][0] + anchor["box"][2] / 2, anchor["box"][1] + anchor["box"][3] / 2
        best, second = None, None
        kind = random.choice(["button", "check box", "radio button", "text field", "combo box", "label", "menu", "tab"])
        for item in scene.items:
            if item is anchor or item["kind"] != kind or item["layer"] != anchor["layer"]:
                continue
            dx, dy = item["box"][0] + item["box"][2] / 2 - ax, item["box"][1] + item["box"][3] / 2 - ay
            if direction in ("left of", "right of"):
                ok = abs(dy) < 8 and (dx < 0) == (direction == "left of") and abs(dx) > 10
            else:
                ok = abs(dx) < 60 and (dy < 0) == (direction == "above") and abs(dy) > 8
            if ok:
                distance = abs(dx) + abs(dy)
                if best is None or distance < best[0]:
                    best, second = (distance, item), best
                elif second is None or distance < second[0]:
                    second = (distance, item)
        if best and (second is None or second[0] > best[0] * 1.3):
            return f"the {kind} {direction} {quoted(random, anchor['text'])}", best[1], "beside"
    item = random.choice(scene.named)
    return describe(random, item), item, "named"


def where(scene, random, training=False):
    found = pick_target(scene, random, training=training)
    if not found:
        return None
    name, item, kind = found
    x, y = centre(item["box"])
    return random.choice(WHERE).format(name), f"{x} {y}", {"task": "point", "how": kind, "box": item["box"], "kind": item["kind"], "seen_at": middle(item["box"])}


def absent(scene, random, texts):
    for _ in range(5):
        text = texts(random)
        if text.lower() not in scene.texts:
            return random.choice(WHERE).format(quoted(random, text)), "Not there.", {"task": "absent"}
    return None


def at_a_glance(question):
    """Asked so, the model answers from the picture that it has; else it looks closer first."""
    return question[:-1] + " at a glance?" if question.endswith("?") else question + " at a glance"


def read_question(random, point):
    return random.choice(["Read {} {}", "What does it say at {} {}?", "Read the text at {} {}"]).format(*point)


def value_question(random, name):
    return random.choice(["What is in {}?", "What is the value of {}?"]).format(quoted(random, name))


def read(scene, random, training=False):
    """In training long lines are asked for as often as short words, and letters with marks more often than they occur."""
    if not scene.runs:
        return None
    runs = scene.runs
    marked = [run for run in runs if not run[0].isascii()]
    if training and marked and random.random() < 0.25:
        runs = marked
    elif training and random.random() < 0.6:
        by_length = {}
        for run in runs:
            by_length.setdefault(min(2, (len(run[0]) - 1) // 12), []).append(run)
        runs = random.choice(list(by_length.values()))
    text, box, _ = random.choice(runs)
    asked = spot(random, box, training)
    return read_question(random, place(*asked)), text, {"task": "read", "box": box, "asked": asked, **scene.spelled(text, box)}


def state(scene, random, training=False):
    boxes = [i for i in scene.named if i["kind"] in ("check box", "radio button", "tab")]
    seen = {text for text, *_ in scene.runs}
    fields = [(i, n) for i, n in scene.fields if i.get("value") in seen]  # all of the value can be read
    if boxes and (not fields or random.random() < (0.4 if training else 0.6)):
        item = random.choice(boxes)
        verb = "the current tab" if item["kind"] == "tab" else random.choice(["on", "checked"])
        return f"Is {quoted(random, item['text'])} {verb}?", "Yes." if item.get("checked") else "No.", {"task": "state", "box": item["box"]}
    if fields:
        item, name = random.choice(fields)
        if item["kind"] in ("text field", "combo box", "spin box") and "●" not in item["value"] and len(item["value"]) < 40:
            return value_question(random, name), item["value"], {"task": "value", "box": item["box"], **scene.spelled(item["value"], item["box"])}
    return None


def what(scene, random):
    items = [i for i in scene.items if i["box"][2] >= 6 and i["box"][3] >= 6]
    if not items:
        return None
    item = random.choice(items)
    x, y = centre(item["box"])
    answer = item["kind"] + (f" {item['text']}" if item.get("text") else f" {item['icon']}" if item.get("icon") else "")
    return f"What is at {x} {y}?", answer, {"task": "what", "box": item["box"], **scene.spelled(item.get("text", ""), item["box"])}


class CloserLook:
    """What a closer look was taken for, as the generator labels it, and where that is seen in it."""

    def __init__(self, zoom, closer, random, training):
        """closer: the Scene that it shows"""
        self.target = zoom["target"]
        left, top, width, height = zoom["part"]
        enlarged = lambda x, y: ((x - left) * WIDTH / width, (y - top) * HEIGHT / height)
        self.box = [*enlarged(*self.target[:2]), self.target[2] * WIDTH / width, self.target[3] * HEIGHT / height]
        self._enlarged, self.asked = enlarged, spot(random, self.target, training)
        x, y, w, h = self.box
        inside = [text for text, box, _ in closer.runs if x - 2 <= middle(box)[0] <= x + w + 2 and y - 2 <= middle(box)[1] <= y + h + 2]
        self.text = inside[0] if len(inside) == 1 and x >= -2 and y >= -2 and x + w <= WIDTH + 2 and y + h <= HEIGHT + 2 else None

    def question(self, random, whole=None):
        """By place, or by the field's name where the Scene of the whole screen has one for it."""
        names = [name for item, name in whole.fields if item["box"] == self.target] if whole else []
        if names and random.random() < 0.7:
            self.asked = middle(self.target)
            return value_question(random, names[0])
        return read_question(random, place(*self.asked))

    def point(self):
        """What the tool's answer says: where the point that was asked for is in the closer look."""
        return " ".join(place(*self._enlarged(*self.asked)))
