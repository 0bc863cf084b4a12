"""Nano's tokenizer: byte-level BPE in the tokenizer.json form, trained on our own texts. Numbers stay single digits.

Usage: tokens.py OUT_DIR   (reads texts from stdin, one conversation text per line, JSON strings)
"""
import collections
import json
import sys

import regex

# The pre-tokenizer of the model family (o200k), as tokenizer.json spells it.
PATTERN = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = ["]!p~[", "]~!b[", "]~b]", "[e~[", "]!d~[", "]<]image[>[", "]<]video[>[", "]<]start of image[>[", "]<]end of image[>[",
           "]<]minimax[>[", "<tool_call>", "</tool_call>", "<mm:think>", "</mm:think>", "<response>", "</response>"]
PAD, BOD, HEADER, END, UNKNOWN, IMAGE, VIDEO, IMAGE_START, IMAGE_END, NS, CALL, CALL_END, THINK, THINK_END, RESPONSE, RESPONSE_END = SPECIAL
VOCABULARY = 2048  # entries, special ones included, at the end


def byte_alphabet():
    """The printable stand-in for each byte that byte-level BPE files use."""
    keep = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    table, extra = {}, 0
    for byte in range(256):
        if byte in keep:
            table[byte] = chr(byte)
        else:
            table[byte] = chr(256 + extra)
            extra += 1
    return table


BYTES = byte_alphabet()


class Tokenizer:
    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        self.vocabulary = data["model"]["vocab"]
        self.ranks = {tuple(pair): rank for rank, pair in enumerate(data["model"]["merges"])}
        self.special = {token["content"]: token["id"] for token in data["added_tokens"]}
        self.split = regex.compile(PATTERN)
        self.cache = {}
        self.names = {number: text for text, number in {**self.vocabulary, **self.special}.items()}
        self.size = len(self.names)

    def encode(self, text):
        """Ordinary text to ids; special tokens are added by their ids only."""
        ids = []
        cache = self.cache
        for piece in self.split.findall(text):
            known = cache.get(piece)
            if known is None:
                known = cache[piece] = self._merge(piece)
            ids += known
        return ids

    def spell(self, text):
        """The same text byte by byte."""
        return [self.vocabulary[BYTES[byte]] for byte in text.encode("utf-8")]

    def _merge(self, piece):
        parts = [BYTES[byte] for byte in piece.encode("utf-8")]
        while len(parts) > 1:
            best = min(range(len(parts) - 1), key=lambda i: self.ranks.get((parts[i], parts[i + 1]), 1 << 30))
            if (parts[best], parts[best + 1]) not in self.ranks:
                break
            parts[best:best + 2] = [parts[best] + parts[best + 1]]
        return [self.vocabulary[part] for part in parts]

    def decode(self, ids):
        back = {character: byte for byte, character in BYTES.items()}
        out = bytearray()
        for number in ids:
            name = self.names[number]
            out += name.encode() if name in self.special else bytes(back[c] for c in name)
        return out.decode("utf-8", "replace")


def train(texts, n_merges):
    """Plain BPE on counted pre-tokens; pre-tokens with digits are left as bytes so that numbers stay digits."""
    counts = collections.Counter()
    split = regex.compile(PATTERN)
    for text in texts:
        counts.update(split.findall(text))
    words = [([BYTES[b] for b in word.encode("utf-8")], n) for word, n in counts.items() if not any(c.isdigit() for c in word)]
    where = collections.defaultdict(set)
    pairs = collections.Counter()
    for index, (parts, n) in enumerate(words):
        for pair in zip(parts, parts[1:]):
            pairs[pair] += n
            where[pair].add(index)
    merges = []
    while len(merges) < n_merges:
        pair, n = max(pairs.items(), key=lambda item: (item[1], item[0]))
        if n < 2:
            break
        merges.append(pair)
        for index in list(where[pair]):
            parts, n = words[index]
            for old in zip(parts, parts[1:]):
                pairs[old] -= n
                where[old].discard(index)
            i = 0
            while i < len(parts) - 1:
                if (parts[i], parts[i + 1]) == pair:
                    parts[i:i + 2] = [parts[i] + parts[i + 1]]
                i += 1
            for new in zip(parts, parts[1:]):
                pairs[new] += n
                where[new].add(index)
        del pairs[pair]
    return merges


def write(merges, path):
    tokens = [BYTES[b] for b in range(256)] + [a + b for a, b in merges]
    tokens = list(dict.fromkeys(tokens))
    vocabulary = {token: number for number, token in enumerate(tokens)}
    added = [{"id": len(tokens) + i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
              "special": text not in (CALL, CALL_END, THINK, THINK_END, RESPONSE, RESPONSE_END)} for i, text in enumerate(SPECIAL)]
    data = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": PATTERN}, "behavior": "Isolated", "invert": False},
            {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}]},
        "post_processor": None, "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None, "end_of_word_suffix": None,
                  "fuse_unk": False, "byte_fallback": False, "ignore_merges": False, "vocab": vocabulary, "merges": [list(pair) for pair in merges]},
    }
    with open(path, "w", encoding="utf-8") as file:
        json.dump(data, file, ensure_ascii=False, indent=0)


if __name__ == "__main__":
    lines = [json.loads(line) for line in sys.stdin]
    write(train(lines, VOCABULARY - len(SPECIAL) - 256), sys.argv[1] + "/tokenizer.json")
