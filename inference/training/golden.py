"""Reference outputs of an exported nano from the trainer's own code, for m3_golden: golden.py MODEL_DIR OUT_DIR SCREEN.png

The picture is a part of a screen, small so that the file stays small; the prompt before it is long enough for the
sparse layers to drop blocks.
"""
import os
import sys

import numpy as np
import torch
from PIL import Image

import samples
import tensors
import tokens
from evaluate_export import load

WIDTH, HEIGHT = 224, 140  # px
TAIL = 22  # positions whose logits are kept


def text_turns(tokenizer, seed, length):
    random, pool = samples.seeded(seed), samples.Pool()
    conversation = samples.Conversation(tokenizer)
    while len(conversation) < length:
        samples.add_shell(conversation, random, pool)
        turn = samples.without_screen(random, pool)
        conversation.user(turn[0])
        conversation.assistant(turn[1])
    return conversation.ids[:length]


def logits_of_text(model, ids):
    """A conversation without pictures: [L, V]. Padded to whole blocks, which causal attention never sees."""
    n = -(-len(ids) // model.c.block_size) * model.c.block_size
    padded = torch.tensor([ids + [0] * (n - len(ids))])
    return run_text(model, model.embed_tokens(padded))[0, :len(ids)]


def run_text(model, x):
    cos, sin = model.angles(x.shape[1], x.device)
    for layer in model.layers:
        x = layer(x, cos, sin, None, True)[0]
    return model.lm_head(model.norm(x))


def main(model_dir, out, screen):
    model, tokenizer = load(model_dir)
    golden = {}
    os.makedirs(out, exist_ok=True)
    picture = Image.open(screen).convert("RGB").crop((480, 150, 480 + WIDTH, 150 + HEIGHT))
    picture.save(f"{out}/image0.png", optimize=True)
    with torch.no_grad():
        ids = text_turns(tokenizer, 3, 96)
        golden["text.input_ids"], golden["text.logits"] = np.array(ids, np.int32), logits_of_text(model, ids).numpy()
        spoken = list(ids[:48])
        for _ in range(16):
            spoken.append(int(logits_of_text(model, spoken)[-1].argmax()))
        golden["generate.prompt"], golden["generate.output"] = np.array(ids[:48], np.int32), np.array(spoken, np.int32)
        frames = torch.from_numpy(np.asarray(picture).copy())[None]
        still = model.vision.patches(frames).view(1, -1, 3, 1, 14, 14).expand(-1, -1, -1, 2, -1, -1)  # both taps see the picture
        features = model.vision(frames)[0]
        special = tokenizer.special
        media = [special[tokens.IMAGE_START]] + [special[tokens.IMAGE]] * features.shape[1] + [special[tokens.IMAGE_END]]
        after = tokenizer.encode("Where is the menu button?") + [special[tokens.END]] + tokenizer.encode("\n")
        ids = text_turns(tokenizer, 4, 1024) + media + after
        x = model.embed_tokens(torch.tensor([ids + [0] * (-len(ids) % model.c.block_size)]))
        x[0, [i for i, t in enumerate(ids) if t == special[tokens.IMAGE]]] = features[0]
        golden["image0.grid_thw"] = np.array([1, HEIGHT // 14, WIDTH // 14], np.int32)
        golden["image0.pixel_values"] = np.ascontiguousarray(still.reshape(-1, 1176).numpy())
        golden["image0.features"] = features[0].numpy()
        golden["image0.input_ids"] = np.array(ids, np.int32)
        golden["image0.logits_tail"] = np.ascontiguousarray(run_text(model, x)[0, len(ids) - TAIL:len(ids)].numpy())
    kind = {"int32": "I32", "float32": "F32"}
    tensors.write(f"{out}/golden.safetensors", {name: (kind[str(a.dtype)], a) for name, a in golden.items()})
    print({name: a.shape for name, a in golden.items()}, os.path.getsize(f"{out}/golden.safetensors"))


if __name__ == "__main__":
    main(*sys.argv[1:])
