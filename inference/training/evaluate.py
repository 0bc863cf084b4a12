"""Measures nano on held-out screens (fonts, colours and words that training never uses).

Answers count as a whole: a point must be inside the box, every other character must be right. `quick` feeds the right
earlier tokens; `full` lets the model hear its own words (fixed-point decoding gives the greedy answer) for everything.

Usage: evaluate.py --screens PROGRAM --tokenizer FILE --weights WEIGHTS.pt|MODEL_DIR [--scenes N] [--out FILE]
"""
import argparse
import collections
import contextlib
import json
import os
import re

import torch

import data
import tokens
from questions import HEIGHT, WIDTH

LATE = 1000  # index recall is measured from this token on: blocks are dropped there
NUMBERS = re.compile(r"(?<!\d)\d{3}(?!\d)")
SIZES = (("under 12 px", 0, 12), ("12 to 15 px", 12, 16), ("16 to 23 px", 16, 24), ("24 px and more", 24, 10_000))


def size_class(box):
    height = min(box[2], box[3])
    return next(name for name, low, high in SIZES if low <= height < high)


def inside(text, box):
    """Whether the first point named in the text is in the box."""
    found = NUMBERS.findall(text)
    if len(found) < 2:
        return False
    x, y = (int(found[0]) + 0.5) / 1000 * WIDTH, (int(found[1]) + 0.5) / 1000 * HEIGHT
    return box[0] - 1 <= x <= box[0] + box[2] + 1 and box[1] - 1 <= y <= box[1] + box[3] + 1


def right(said, wanted, label):
    """Points may be anywhere in their box, the rest must be equal."""
    points = NUMBERS.findall(wanted)
    if label and "box" in label and label["task"] in ("point", "act", "drag", "step 1", "zoom") and len(points) >= 2:
        if NUMBERS.sub("#", said) != NUMBERS.sub("#", wanted):
            return False
        ok = inside(said, label["box"])
        if label.get("to"):
            ok = ok and inside(" ".join(NUMBERS.findall(said)[2:]), label["to"])
        return ok
    if label and label["task"] == "step 2" and len(points) >= 2:  # the box of a follow-up is not kept: near its centre
        said_points = NUMBERS.findall(said)
        return NUMBERS.sub("#", said) == NUMBERS.sub("#", wanted) and all(abs(int(a) - int(b)) <= 12 for a, b in zip(said_points, points))
    return said == wanted


class Examiner:
    """rows: {part: conversations}; the parts are the kinds of batch, "crop", a part of a larger screen, and "closer": a screen and
    then a closer look at one of its texts."""

    def __init__(self, screens, tokenizer_path, rows, seed=77_000_000):
        self.tokenizer = tokens.Tokenizer(tokenizer_path)
        self.parts = []
        for name, rows in rows.items():
            kind = {"crop": "one", "closer": "two"}.get(name, name)
            buffer = data.Buffer(kind, rows)
            view = {"large": "large", "crop": "crop", "closer": "zoom"}.get(name, "whole")
            maker = data.Maker(screens, self.tokenizer, seed, 1, "eval", kind in ("two", "clip"), view)
            for _ in range(3):  # texts to draw from before the first question
                maker.row(buffer, 0)
            conversations = [maker.row(buffer, row)[0] for row in range(rows)]
            maker.stream.kill()
            self.parts.append((name, buffer, conversations))

    @contextlib.contextmanager
    def calm(self, model, device):
        """No gradients, no compiled code for new shapes, training precision."""
        stance = torch.compiler.set_stance("force_eager") if hasattr(torch, "compiler") and hasattr(torch.compiler, "set_stance") else contextlib.nullcontext()
        with torch.no_grad(), stance, torch.autocast(device.type, torch.bfloat16, enabled=model.vision.compute_dtype == torch.bfloat16):
            yield

    def predict(self, model, device, part, rows, sparse, rounds):
        """Greedy ids at every position; rounds > 1 feeds the model's own answers back."""
        buffer = part[1]
        kind, first = buffer.kind, data.FIRST_ANSWER[buffer.kind]
        frames = torch.from_numpy(buffer.arrays["frames"][rows]).to(device)
        frames = frames if kind == "clip" else frames.flatten(0, 1)
        truth = torch.from_numpy(buffer.arrays["ids"][rows]).to(device).long()
        spoken = torch.from_numpy(buffer.arrays["spoken"][rows]).to(device).bool()
        starts = torch.from_numpy(buffer.arrays["starts"][rows]).to(device)
        ids = truth.clone()
        for _ in range(rounds):
            out = model(frames, ids, starts, first, None, sparse)
            said = ids.clone()
            said[:, first + 1:] = out[0].argmax(-1)[:, :-1]
            new = torch.where(spoken, said, truth)
            if torch.equal(new, ids):
                break
            ids = new
        return ids.cpu().numpy()

    def score(self, model, device, sparse, rounds, batch=32):
        tally = collections.defaultdict(lambda: [0, 0])
        with self.calm(model, device):
            for part in self.parts:
                conversations = part[2]
                for first in range(0, len(conversations), batch):
                    rows = slice(first, min(first + batch, len(conversations)))
                    said = self.predict(model, device, part, rows, sparse, rounds)
                    for ids, conversation in zip(said, conversations[rows]):
                        self.count(tally, part, ids, conversation)
        return {name: {"right": ok, "of": n, "share": round(ok / n, 4)} for name, (ok, n) in sorted(tally.items())}

    def count(self, tally, part, ids, conversation):
        name_of_part, buffer, _ = part
        prefix = f"{name_of_part}: " if name_of_part in ("large", "crop", "closer") else ""
        for start, end, label in conversation.spans:
            if label is None or start <= data.FIRST_ANSWER[buffer.kind]:
                continue
            said = self.tokenizer.decode([int(i) for i in ids[start:end]])
            wanted = self.tokenizer.decode(conversation.ids[start:end])
            ok = right(said, wanted, label)
            names = [label["task"]]
            if label["task"] == "point":
                names += [f"point: {size_class(label['box'])}", f"point by {label['how']}"]
            if label["task"] in ("read", "read closely"):
                length = len(label["spelled"])
                names += [f"{label['task']}: {part}" for part in (size_class(label["box"]), "up to 12 characters" if length <= 12 else "13 to 24 characters" if length <= 24 else "25 characters and more")]
            if label["task"] == "state":
                names.append(f"state: {wanted[:-len(tokens.END)]}")
            if label["task"] == "step 2":
                names.append(f"step 2 after {label['effect']}")
            if label["task"] in ("act", "already", "type", "press", "open", "wait", "drag", "ask", "give_up", "step 1", "step 2", "shell"):
                names.append("next action")
            for name in names:
                tally[prefix + name][0] += ok
                tally[prefix + name][1] += 1

    def quick(self, model, device, sparse):
        return {name: value["share"] for name, value in self.score(model, device, sparse, 1).items() if not name.startswith(("point by", "step 2 after"))}


def index_recall(model, examiner, device):
    """Share of the main attention's mass inside the chosen blocks, smallest and mean over the sparse layers."""
    _, buffer, _ = next(part for part in examiner.parts if part[0] == "two")
    rows = slice(0, min(16, buffer.rows))
    frames = torch.from_numpy(buffer.arrays["frames"][rows]).to(device).flatten(0, 1)
    ids = torch.from_numpy(buffer.arrays["ids"][rows]).to(device).long()
    starts = torch.from_numpy(buffer.arrays["starts"][rows]).to(device)
    late = torch.linspace(LATE, ids.shape[1] - 1, 128, device=device).long()
    with examiner.calm(model, device):
        mass = model(frames, ids, starts, data.FIRST_ANSWER["two"], late, True)[4]
    return {"least": round(mass.min().item(), 4), "mean": round(mass.mean().item(), 4)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screens", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--scenes", type=int, default=512)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--out", default="")
    args = parser.parse_args()
    from model import Config, Nano
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if os.path.isdir(args.weights):
        from evaluate_export import load
        model = load(args.weights)[0].to(device)
    else:
        model = Nano(Config(vocabulary=tokens.Tokenizer(args.tokenizer).size)).to(device)
        model.load_state_dict(torch.load(args.weights, map_location=device), strict=False)
    if device.type == "cuda":
        model.vision.compute_dtype = torch.bfloat16
    quarter = args.scenes // 4
    examiner = Examiner(args.screens, args.tokenizer, {"one": args.scenes, "two": quarter, "clip": quarter // 2, "large": quarter, "crop": quarter, "closer": args.scenes})
    report = {"sparse": examiner.score(model, device, True, args.rounds), "dense": examiner.score(model, device, False, args.rounds), "index recall": index_recall(model, examiner, device)}
    text = json.dumps(report, indent=1)
    print(text)
    if args.out:
        with open(args.out, "w") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main()
