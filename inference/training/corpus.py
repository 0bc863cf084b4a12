"""Texts to train the tokenizer on: conversations about generated screens. Usage: corpus.py SCREENS_PROGRAM N_SCENES | tokens.py OUT_DIR"""
import json
import sys

import dialect
import samples
import scenes
import tokens


class Bytes:
    """Stands in for the tokenizer that is still to be made."""
    special = {text: 0 for text in tokens.SPECIAL}

    @staticmethod
    def encode(text):
        return [0] * (len(text) // 3 + 1)

    @staticmethod
    def spell(text):
        return [0] * len(text)


def main(program, n_scenes):
    random, pool = samples.seeded(5), samples.Pool()
    process = scenes.start(program, 900_000_000, 1, True, count=n_scenes)
    for _ in range(n_scenes):
        labels = scenes.read(process.stdout)[2]
        pool.feed(labels["first"], random)
        for text in samples.one_screen(Bytes, labels, random, pool).text + samples.two_screens(Bytes, labels, random, pool).text:
            for part in dialect.SPLIT.split(text):
                if part and part not in Bytes.special:
                    print(json.dumps(part))
    process.wait()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
