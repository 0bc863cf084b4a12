"""Reads the examination's closer looks with the engine and an export's weights: closer_reading.py M3_RUN MODEL_DIR SCREENS N

The same screens and questions as evaluate.py's part "closer"; the call for the closer look is given, the text is the model's own.
"""
import collections
import os
import subprocess
import sys
import tempfile

from PIL import Image

import data
import tokens

MARKER = "]<]image[>["  # where m3_run puts a picture


def prompt_of(conversation):
    """All that stands before the text that is read."""
    asked = "".join(conversation.text).split("</response>")[0] + "</response>[e~[\n]~b]ai\n</mm:think>"
    return asked.replace(tokens.IMAGE_START, "").replace(tokens.IMAGE_END, "").replace(tokens.IMAGE, MARKER)


def main(program, model, screens, n):
    buffer = data.Buffer("two", 1)
    maker = data.Maker(screens, tokens.Tokenizer(os.path.join(model, "tokenizer.json")), 77_000_000, 1, "eval", True, "zoom")
    for _ in range(3):  # texts to draw from, as in the examination
        maker.row(buffer, 0)
    tally = collections.defaultdict(lambda: [0, 0])
    with tempfile.TemporaryDirectory() as folder:
        pictures = [os.path.join(folder, f"{k}.png") for k in (0, 1)]
        for _ in range(int(n)):
            conversation = maker.row(buffer, 0)[0]
            wanted = next((label["spelled"] for _, _, label in conversation.spans if label and label["task"] == "read closely"), None)
            if wanted is None or "</response>" not in "".join(conversation.text):
                continue
            for path, frame in zip(pictures, buffer.arrays["frames"][0]):
                Image.fromarray(frame).save(path)
            command = [program, model, "--temperature", "0", "--max-new", "96", "--image-side", "3584", "--image", pictures[0], "--image", pictures[1], prompt_of(conversation)]
            said = subprocess.run(command, capture_output=True, text=True, errors="replace", check=True).stdout.rstrip("\n")
            length = "up to 12" if len(wanted) <= 12 else "13 to 24" if len(wanted) <= 24 else "25 and more"
            for name in ("all", length):
                tally[name][0] += said == wanted
                tally[name][1] += 1
            if said != wanted:
                print(f"{wanted} | {said}", flush=True)
    maker.stream.kill()
    for name, (right, of) in sorted(tally.items()):
        print(f"{name}: {right} of {of}")


if __name__ == "__main__":
    main(*sys.argv[1:])
