"""Muon for the weight matrices (momentum, made orthogonal by Newton–Schulz steps), AdamW for the rest."""
import torch


def orthogonal(g, steps=5):
    """g [n, a, b] -> nearest (semi-)orthogonal matrices, in bf16."""
    x = g.to(torch.bfloat16)
    wide = x.shape[-2] > x.shape[-1]
    if wide:
        x = x.transpose(-1, -2)
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(steps):
        a = x @ x.transpose(-1, -2)
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * a @ a) @ x
    return x.transpose(-1, -2) if wide else x


class Muon:
    def __init__(self, parameters, momentum=0.95, weight_decay=0.05):
        self.momentum, self.weight_decay = momentum, weight_decay
        groups = {}
        for p in parameters:
            groups.setdefault(tuple(p.shape[-2:]), []).append(p)
        self.groups = list(groups.values())
        self.buffers = [[torch.zeros_like(p) for p in group] for group in self.groups]

    @torch.no_grad()
    def step(self, rate):
        for group, buffers in zip(self.groups, self.buffers):
            gradients = [p.grad for p in group]
            torch._foreach_mul_(buffers, self.momentum)
            torch._foreach_add_(buffers, gradients)
            update = torch._foreach_add(gradients, buffers, alpha=self.momentum)  # Nesterov
            a, b = group[0].shape[-2:]
            flat = orthogonal(torch.cat([u.reshape(-1, a, b) for u in update]))
            scale = 0.2 * max(a, b) ** 0.5  # the size of an AdamW update
            torch._foreach_mul_(group, 1 - rate * self.weight_decay)
            at = 0
            for p in group:
                n = p.numel() // (a * b)
                p.add_(flat[at:at + n].reshape(p.shape).to(p.dtype), alpha=-rate * scale)
                at += n

    def state(self):
        return [[b.to(torch.bfloat16) for b in group] for group in self.buffers]

    def load(self, state):
        for group, saved in zip(self.buffers, state):
            for buffer, value in zip(group, saved):
                buffer.copy_(value)


def split_parameters(model):
    """(matrices for Muon, the index branch, auxiliary heads, the rest)."""
    matrices, index, heads, rest = [], [], [], []
    for name, p in model.named_parameters():
        if ".index_" in name:
            index.append(p)
        elif "_head." in name and not name.startswith("lm_head"):
            heads.append(p)
        elif p.dim() >= 2 and not any(part in name for part in ("embed_tokens", "lm_head", "patch_embedding", "mlp.gate")) or "mlp.gate_proj" in name:
            matrices.append(p)
        else:
            rest.append(p)
    return matrices, index, heads, rest
