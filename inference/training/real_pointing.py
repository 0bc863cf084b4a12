"""Points at named things on the screens of real_screens.py with the engine: real_pointing.py M3_RUN MODEL_DIR SCREENS_DIR PER_APPLICATION"""
import collections
import json
import pathlib
import random
import re
import subprocess
import sys


def ask(program, model, picture, goal):
    prompt = f"]~!b[]~b]user\n]<]image[>[{goal}[e~[\n]~b]ai\n</mm:think>"
    run = subprocess.run([program, model, "--temperature", "0", "--max-new", "48", "--image-side", "3584", "--image", picture, prompt], capture_output=True, text=True, check=True)
    return run.stdout


# Keys that show a sign ("÷", "(") and are called by the name of what they do.
HIDDEN_NAMES = {"mate-calc": ("x_squared", "square_root", "end_group", "start_group", "result", "add", "subtract", "multiply", "percentage", "numeric_point", "divide")}


def is_symbol(application, item):
    """The name isn't on the screen: a square button whose name is too long to stand on it, or a key with a hidden name."""
    _, _, w, h = item["box"]
    return item["name"] in HIDDEN_NAMES.get(application, ()) or item["role"] in ("push button", "toggle button", "icon") and w < 1.5 * h and len(item["name"]) > 3


def main(program, model, folder, per_application):
    chance, tally = random.Random(1), collections.Counter()
    for labels in sorted(pathlib.Path(folder).glob("*.json")):
        data = json.loads(labels.read_text())
        names = collections.Counter(i["name"].lower() for i in data["items"])
        items = [i for i in data["items"] if names[i["name"].lower()] == 1 and len(i["name"]) < 40]
        for item in chance.sample(items, min(int(per_application), len(items))):
            said = ask(program, model, str(labels.with_suffix(".png")), f"Click {item['name']}")
            point = re.findall(r"<[xy]>(\d{3})", said)
            x, y, w, h = item["box"]
            hit = len(point) == 2 and x <= (int(point[0]) + 0.5) * data["width"] / 1000 <= x + w and y <= (int(point[1]) + 0.5) * data["height"] / 1000 <= y + h
            kind = "symbol" if is_symbol(labels.stem, item) else "text"
            tally[kind, "right"] += hit
            tally[kind, "all"] += 1
            tally[labels.stem, "right"] += hit and kind == "text"
            tally[labels.stem, "all"] += kind == "text"
            print("hit " if hit else "MISS", kind, labels.stem, item["role"], item["name"], item["box"], point, flush=True)
    for name in sorted({name for name, _ in tally}):
        print(f"{name}: {tally[name, 'right']} of {tally[name, 'all']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
