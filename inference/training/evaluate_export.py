"""Measures an exported checkpoint (its dequantised weights) with the questions of evaluate.py, on the CPU if need be.

Usage: evaluate_export.py MODEL_DIR SCREENS_PROGRAM N_SCENES [OUT.json]
"""
import json
import sys

import torch

import tensors
import tokens
from export import VISION, TEXT
from model import Config, Nano


def trainer_state(named, c):
    """The released names back to the trainer's."""
    out = {}
    experts = {}
    for name, array in named.items():
        value = torch.from_numpy(array.copy()).float()
        if name.startswith(VISION + "embeddings"):
            out["vision.patch_embedding"] = value
        elif name.startswith(VISION + "encoder.layers."):
            index, part = name[len(VISION + "encoder.layers."):].split(".", 1)
            out[f"vision.blocks.{index}.{part.replace('self_attn.', '').replace('mlp.', '')}"] = value
        elif name.startswith(VISION):
            out["vision." + name[len(VISION):]] = value
        elif name.startswith("multi_modal_projector.linear_"):
            out[name.replace("multi_modal_projector.linear_", "vision.projector_")] = value
        elif name.startswith("patch_merge_mlp.linear_"):
            out[name.replace("patch_merge_mlp.linear_", "vision.merge_")] = value
        elif ".block_sparse_moe.experts." in name:
            layer, rest = name[len(TEXT):].split(".block_sparse_moe.experts.")
            expert, part, _ = rest.split(".")
            experts.setdefault(f"{layer}.mlp.{part}", {})[int(expert)] = value
        elif ".block_sparse_moe." in name:
            rest = name[len(TEXT):].replace(".block_sparse_moe.", ".mlp.")
            out[rest.replace("mlp.gate.weight", "mlp.gate")] = value
        elif name.startswith("language_model.lm_head"):
            out[name[len("language_model."):]] = value
        else:
            out[name[len(TEXT):]] = value
    out.update({name: torch.stack([parts[i] for i in range(c.experts)]) for name, parts in experts.items()})
    return out


def widened(state, c):
    """The vision tower's perceptrons at the width of Config: a unit that an earlier, narrower export lacks looks at something
    (as strongly as the others) and says nothing yet, so that the function stays the same."""
    chance = torch.Generator().manual_seed(1)
    for i in range(c.vision_layers):
        into, bias, out = (f"vision.blocks.{i}.{name}" for name in ("fc1.weight", "fc1.bias", "fc2.weight"))
        missing = c.vision_width - state[into].shape[0]
        if missing > 0:
            new = torch.randn(missing, state[into].shape[1], generator=chance) * state[into].std()
            state[into], state[bias] = torch.cat([state[into], new]), torch.cat([state[bias], torch.zeros(missing)])
            state[out] = torch.cat([state[out], torch.zeros(state[out].shape[0], missing)], 1)
    return state


def read_state(model_dir, c):
    return widened(trainer_state(tensors.read(f"{model_dir}/model.safetensors"), c), c)


def load(model_dir):
    tokenizer = tokens.Tokenizer(f"{model_dir}/tokenizer.json")
    model = Nano(Config(vocabulary=tokenizer.size))
    result = model.load_state_dict(read_state(model_dir, model.c), strict=False)
    missing = [name for name in result.missing_keys if "_head." not in name or name.startswith("lm_head")]
    if missing or result.unexpected_keys:
        raise ValueError(f"{model_dir}: missing {missing}, unexpected {result.unexpected_keys}")
    return model, tokenizer


def main(model_dir, screens, n_scenes, out=""):
    from evaluate import Examiner, index_recall
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, _ = load(model_dir)
    model.to(device)
    n = int(n_scenes)
    examiner = Examiner(screens, f"{model_dir}/tokenizer.json", {"one": n, "two": n // 4, "clip": n // 8, "large": n // 4, "crop": n // 4, "closer": n})
    report = {"sparse": examiner.score(model, device, True, 1, batch=2), "index recall": index_recall(model, examiner, device)}
    text = json.dumps(report, indent=1)
    print(text)
    if out:
        with open(out, "w") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
