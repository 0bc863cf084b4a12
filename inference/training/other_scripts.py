"""Reads words of other scripts by a closer look, with Latin ones for comparison: other_scripts.py M3_RUN MODEL_DIR FONT.ttf

Black on white, 16 px; nano was never shown such letters, so this says what to expect and no more."""
import os
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw, ImageFont

import tokens
from dialect import call
from questions import HEIGHT, WIDTH

WORDS = {
    "Latin": "garden window yellow market silver bridge candle forest winter summer",
    "Greek": "κήπος παράθυρο κίτρινο αγορά ασήμι γέφυρα κερί δάσος χειμώνας καλοκαίρι",
    "Cyrillic": "сад окно жёлтый рынок серебро мост свеча лес зима лето",
    "Hebrew": "גן חלון צהוב שוק כסף גשר נר יער חורף קיץ",
}
AT = (WIDTH // 2, HEIGHT // 2)


def pictures(word, font, folder):
    """The screen, and the half of its width and height around the word, twice as large."""
    screen = Image.new("RGB", (WIDTH, HEIGHT), "white")
    ImageDraw.Draw(screen).text(AT, word, "black", font, anchor="mm")
    part = (WIDTH // 4, HEIGHT // 4, WIDTH // 4 + WIDTH // 2, HEIGHT // 4 + HEIGHT // 2)
    paths = [os.path.join(folder, name) for name in ("whole.png", "closer.png")]
    screen.save(paths[0])
    screen.crop(part).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC).save(paths[1])
    return paths


def main(program, model, font_file):
    font = ImageFont.truetype(font_file, 16)
    picture = "]<]image[>["
    turn = lambda who, text: f"{tokens.HEADER}{who}\n{text}{tokens.END}\n"
    asked = (tokens.BOD + turn("user", picture + "Read 500 500") + turn("ai", tokens.THINK_END + call("zoom", x="500", y="500"))
             + turn("tool", f"{tokens.RESPONSE}{picture}500 500{tokens.RESPONSE_END}") + f"{tokens.HEADER}ai\n{tokens.THINK_END}")
    with tempfile.TemporaryDirectory() as folder:
        for script, words in WORDS.items():
            right = 0
            for word in words.split():
                whole, closer = pictures(word, font, folder)
                said = subprocess.run([program, model, "--temperature", "0", "--max-new", "48", "--image-side", "3584", "--image", whole, "--image", closer, asked], capture_output=True, text=True, errors="replace", check=True).stdout.strip()
                right += said == word
                print(word, "|", said, flush=True)
            print(f"{script}: {right} of {len(words.split())}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
