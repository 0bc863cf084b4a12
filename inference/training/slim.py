"""A training state's weights without the auxiliary heads, matrices in bf16: slim.py WEIGHTS.pt OUT.pt   (load with torch.load)"""
import sys

import torch


def main(weights, out):
    state = torch.load(weights, map_location="cpu")
    kept = {name: value for name, value in state.items() if "_head." not in name or name.startswith("lm_head")}
    torch.save({name: value.to(torch.bfloat16) if value.dim() >= 2 else value for name, value in kept.items()}, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
