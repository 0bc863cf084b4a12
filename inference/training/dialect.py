"""The chat dialect as token ids with a mask of what the model must say: the same bytes as chat_template.jinja renders."""
import re

from questions import HEIGHT, WIDTH
from scenes import USUAL_SIZE
from tokens import (BOD, CALL, CALL_END, END, HEADER, IMAGE, IMAGE_END, IMAGE_START, NS, RESPONSE, RESPONSE_END, SPECIAL, THINK_END,
                    VIDEO)

CELL = 28  # px of a picture token: 2 × 2 patches
SPLIT = re.compile("(" + "|".join(re.escape(text) for text in SPECIAL) + ")")


def call(name, **arguments):
    """A tool call as the template renders it."""
    def value(v):
        if isinstance(v, list):
            return "".join(f"{NS}<item>{item}{NS}</item>" for item in v)
        return str(v)

    inner = "".join(f"{NS}<{key}>{value(v)}{NS}</{key}>" for key, v in arguments.items())
    return f'{NS}{CALL}\n{NS}<invoke name="{name}">{inner}{NS}</invoke>\n{NS}{CALL_END}'


class Conversation:
    """Grows turn by turn; `ids` and `spoken` (1: the model says it) have the same length."""

    def __init__(self, tokenizer, size=USUAL_SIZE):
        """size: of its pictures, in px"""
        self.tokenizer = tokenizer
        self.columns, self.rows = size[0] // CELL, size[1] // CELL
        self.image_tokens = self.columns * self.rows
        self.ids, self.spoken = [], []
        self.cells = []  # for each token of an answer: the picture token that shows it, counted over all pictures; -1: none
        self.pictures = 0
        self.text = []
        self.spans = []  # of the answers: (start, end, label)
        self._add(BOD)

    def _add(self, text, spoken=0, spelled=False):
        self.text.append(text)
        for part in SPLIT.split(text):
            if not part:
                continue
            ids = [self.tokenizer.special[part]] if part in self.tokenizer.special else self.tokenizer.spell(part) if spelled else self.tokenizer.encode(part)
            self.ids += ids
            self.spoken += [spoken] * len(ids)
            self.cells += [-1] * len(ids)

    def _picture(self, marker=IMAGE):
        self._add(IMAGE_START)
        self.ids += [self.tokenizer.special[marker]] * self.image_tokens
        self.spoken += [0] * self.image_tokens
        self.cells += [-1] * self.image_tokens
        self.pictures += 1
        self.text.append(marker)
        self._add(IMAGE_END)

    def user(self, text, picture=None):
        self._add(f"{HEADER}user\n")
        if picture:
            self._picture(picture)
        self._add(f"{text}{END}\n")

    def tool(self, text="", picture=None):
        self._add(f"{HEADER}tool\n{RESPONSE}")
        if picture:
            self._picture(picture)
        self._add(f"{text}{RESPONSE_END}{END}\n")

    def assistant(self, text, label=None):
        """What a label's "spelled" says stands at the end of the text and is said byte by byte: that is easier to read off."""
        self._add(f"{HEADER}ai\n{THINK_END}")
        start = len(self.ids)
        spelled = label.get("spelled", "") if label else ""
        if len(spelled) < len(text):
            self._add(text[:len(text) - len(spelled)], spoken=1)
        if spelled:
            self._add(spelled, spoken=1, spelled=True)
        self._add(END, spoken=1)
        self.spans.append((start, len(self.ids), label))
        if label and self.pictures:
            self._show(start, spelled, label)
        self._add("\n")

    def _show(self, start, spelled, label):
        """Where on the newest picture the answer's tokens are seen: each letter that is read off, or the thing that is pointed at."""
        if "seen_at" in label:
            self.cells[start:] = [self._cell(*label["seen_at"])] * (len(self.ids) - start)
        elif "letters" in label:
            at = [self._cell(x, y) for letter, (x, y) in zip(spelled, label["letters"]) for _ in letter.encode("utf-8")]
            self.cells[len(self.ids) - 1 - len(at):] = at + at[-1:]  # and the end of the answer where the text ends

    def _cell(self, x, y):
        """The picture token at a point of the newest picture."""
        column = min(self.columns - 1, max(0, int(x * self.columns / WIDTH)))
        row = min(self.rows - 1, max(0, int(y * self.rows / HEIGHT)))
        return ((self.pictures - 1) * self.rows + row) * self.columns + column

    def mark(self):
        return len(self.ids), len(self.spans), len(self.text), self.pictures

    def back_to(self, mark):
        """Forgets the turns since the mark."""
        n, n_spans, n_texts, self.pictures = mark
        for values, kept in ((self.ids, n), (self.spoken, n), (self.cells, n), (self.spans, n_spans), (self.text, n_texts)):
            del values[kept:]

    def __len__(self):
        return len(self.ids)
