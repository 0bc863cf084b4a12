"""A training state's weights without the auxiliary heads, matrices in bf16, and these heads (load with torch.load):
slim.py WEIGHTS.pt OUT.pt [HEADS.pt]"""
import sys

import torch


def main(weights, out, heads=None):
    state = torch.load(weights, map_location="cpu")
    state = {name: value.to(torch.bfloat16) if value.dim() >= 2 else value for name, value in state.items()}
    apart = {name: value for name, value in state.items() if "_head." in name and not name.startswith("lm_head")}
    torch.save({name: value for name, value in state.items() if name not in apart}, out)
    if heads:
        torch.save(apart, heads)


if __name__ == "__main__":
    main(*sys.argv[1:])
