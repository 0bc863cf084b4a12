"""MiniMax-M3 at nano's size, in PyTorch, for training. Shapes: B conversations, L tokens, H hidden; P patches of a picture.

The arithmetic is that of the released model; only two things differ from an engine: all experts are computed for every
token and weighted by the router (the same sum), and the sparse attention is a mask. Auxiliary heads exist for training only.
"""
import functools
import math
from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F

PATCH, MERGE = 14, 2
MOST_ROWS, MOST_COLUMNS = 27, 48  # of picture tokens, which the auxiliary heads can name: 1344×756 px; 896×504 px have 18 and 32
# What each 14 px patch is asked for while training (screens/main.cpp, PatchMap): four characters, the column where their
# text begins, the kind and state of the thing there, its symbol, how many characters of the text stand before the patch.
MAP_SIZES = (256, 256, 256, 256, MOST_COLUMNS * MERGE + 1, 1 + 25 * 3, 256, 64)
POINTED_AFTER = (3, 4)  # layers whose states must say where on the picture the next token of the answer is seen


@dataclass
class Config:
    vocabulary: int = 2048
    hidden: int = 384
    layers: int = 7
    dense_layers: int = 1
    q_heads: int = 6
    kv_heads: int = 2
    head_dim: int = 64
    rotary_dim: int = 32
    rope_theta: float = 1e5
    experts: int = 8
    experts_per_token: int = 2
    expert_width: int = 128
    shared_width: int = 256
    dense_width: int = 1024
    routed_scaling: float = 2.0
    block_size: int = 64
    top_k_blocks: int = 12
    vision_hidden: int = 256
    vision_layers: int = 6
    vision_heads: int = 4
    vision_width: int = 2048
    kl_rows: int = 32  # query rows per conversation on which the index branch is taught


MEAN = torch.tensor([0.48145466, 0.4578275, 0.40821073])
STD = torch.tensor([0.26862954, 0.26130258, 0.27577711])


def attention(q, k, v, mask=None, causal=False):
    """[B, heads, L, head_dim]; mask: additive, broadcast over heads."""
    if hasattr(F, "scaled_dot_product_attention"):
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    if causal:
        scores = scores + torch.full(scores.shape[-2:], -math.inf, dtype=scores.dtype).triu(1)
    if mask is not None:
        scores = scores + mask
    return scores.softmax(-1) @ v


def rotate(x, cos, sin):
    """Split-half rotation of the first 2n dimensions of x [..., L, head_dim]; cos, sin [L, n]."""
    n = cos.shape[-1]
    a, b, rest = x[..., :n], x[..., n:2 * n], x[..., 2 * n:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1).to(x.dtype)


class RmsNorm(nn.Module):
    """Gemma style: scaled by 1 + weight."""

    def __init__(self, size, initial=0.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((size,), initial))

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt(y.pow(2).mean(-1, keepdim=True) + 1e-6) * (1 + self.weight)).to(x.dtype)


def swiglu(gate, up):
    gate, up = gate.clamp(max=7.0), up.clamp(-7.0, 7.0)
    return (up + 1) * gate * torch.sigmoid(1.702 * gate)


class VisionBlock(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c.vision_hidden
        self.heads = c.vision_heads
        self.layer_norm1, self.layer_norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (nn.Linear(d, d) for _ in range(4))
        self.fc1, self.fc2 = nn.Linear(d, c.vision_width), nn.Linear(c.vision_width, d)

    def forward(self, x, cos, sin):  # x [pictures, P, d]
        n, p, d = x.shape
        y = self.layer_norm1(x)
        split = lambda z: z.view(n, p, self.heads, d // self.heads).transpose(1, 2)
        q, k, v = rotate(split(self.q_proj(y)), cos, sin), rotate(split(self.k_proj(y)), cos, sin), split(self.v_proj(y))
        x = x + self.out_proj(attention(q, k, v).transpose(1, 2).reshape(n, p, d))
        return x + self.fc2(F.gelu(self.fc1(self.layer_norm2(x))))


class Vision(nn.Module):
    def __init__(self, c):
        super().__init__()
        d = c.vision_hidden
        self.patch_embedding = nn.Parameter(torch.randn(d, 3, 2, PATCH, PATCH) * 0.02)
        self.pre_layrnorm = nn.LayerNorm(d)
        self.blocks = nn.ModuleList(VisionBlock(c) for _ in range(c.vision_layers))
        self.projector_1, self.projector_2 = nn.Linear(d, c.hidden), nn.Linear(c.hidden, c.hidden)
        self.merge_1, self.merge_2 = nn.Linear(4 * c.hidden, c.hidden), nn.Linear(c.hidden, c.hidden)
        self.position_head = nn.Linear(4 * d, MOST_ROWS + MOST_COLUMNS)
        self.compute_dtype = torch.float32  # of the residual stream; training sets bfloat16
        self.head_dim = d // c.vision_heads
        self.register_buffer("mean", MEAN.clone(), persistent=False)
        self.register_buffer("std", STD.clone(), persistent=False)

    @functools.cache
    def angles(self, height, width):
        """cos and sin [P, n] of the 3-D rotary positions of a picture's patches, in the model's order."""
        rows, columns = height // (MERGE * PATCH), width // (MERGE * PATCH)
        axis = 2 * ((2 * (self.head_dim // 2) // 3) // 2)
        device = self.mean.device
        inverse = 10000.0 ** (-torch.arange(0, axis, 2, device=device).float() / axis)
        shape = (rows, columns, MERGE, MERGE)
        row = torch.arange(rows * MERGE, device=device).view(rows, 1, MERGE, 1).expand(shape).reshape(-1)
        column = torch.arange(columns * MERGE, device=device).view(1, columns, 1, MERGE).expand(shape).reshape(-1)
        angle = torch.cat([torch.zeros(row.shape[0], axis // 2, device=device), row[:, None] * inverse, column[:, None] * inverse], -1)
        return angle.cos(), angle.sin()

    def patches(self, frames):
        """[n, height, width, 3] bytes -> [n, P, 588] in the model's order: 2×2 merge blocks row-major; channel, row, column inside."""
        n, height, width, _ = frames.shape
        x = (frames.float() / 255 - self.mean) / self.std
        x = x.view(n, height // (MERGE * PATCH), MERGE, PATCH, width // (MERGE * PATCH), MERGE, PATCH, 3).permute(0, 1, 4, 2, 5, 7, 3, 6)
        return x.reshape(n, -1, 3 * PATCH * PATCH)

    def embed(self, frames):
        """frames [n, height, width, 3] (stills: both temporal taps see the picture) or [n, 2, height, width, 3] (clips)."""
        taps = self.patch_embedding.transpose(1, 2).reshape(self.patch_embedding.shape[0], 2, -1)
        if frames.dim() == 4:
            return F.linear(self.patches(frames), taps.sum(1))
        return F.linear(self.patches(frames[:, 0]), taps[:, 0]) + F.linear(self.patches(frames[:, 1]), taps[:, 1])

    def forward(self, frames, head_alone=False):
        x = self.pre_layrnorm(self.embed(frames)).to(self.compute_dtype)
        cos, sin = self.angles(*frames.shape[-3:-1])
        for block in self.blocks:
            x = block(x, cos, sin)
        merged = lambda y: y.reshape(y.shape[0], y.shape[1] // (MERGE * MERGE), -1)
        position = self.position_head(merged(x.detach() if head_alone else x))
        y = self.projector_2(F.gelu(self.projector_1(x)))
        return self.merge_2(F.gelu(self.merge_1(merged(y)))), position, x


class Attention(nn.Module):
    def __init__(self, c, sparse):
        super().__init__()
        self.c, self.sparse = c, sparse
        self.q_proj = nn.Linear(c.hidden, c.q_heads * c.head_dim, bias=False)
        self.k_proj = nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=False)
        self.v_proj = nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=False)
        self.o_proj = nn.Linear(c.q_heads * c.head_dim, c.hidden, bias=False)
        self.q_norm, self.k_norm = RmsNorm(c.head_dim), RmsNorm(c.head_dim)
        if sparse:
            self.index_q_proj = nn.Linear(c.hidden, c.kv_heads * c.head_dim, bias=False)
            self.index_k_proj = nn.Linear(c.hidden, c.head_dim, bias=False)
            # The engine's index scores have no 1/sqrt(head_dim): the query norm starts with it.
            self.index_q_norm, self.index_k_norm = RmsNorm(c.head_dim, 1 / math.sqrt(c.head_dim) - 1), RmsNorm(c.head_dim)

    def index(self, x, cos, sin):
        """Index queries [B, kv_heads, L, D] and keys [B, L, D]; no gradient flows into x."""
        c, (b, n, _) = self.c, x.shape
        x = x.detach()
        iq = rotate(self.index_q_norm(self.index_q_proj(x).view(b, n, c.kv_heads, c.head_dim)).transpose(1, 2), cos, sin)
        ik = rotate(self.index_k_norm(self.index_k_proj(x).view(b, n, 1, c.head_dim)).transpose(1, 2), cos, sin)
        return iq, ik[:, 0]

    def select(self, iq, ik):
        """Which blocks each query keeps: [B, kv_heads, L, n_blocks] of bool; the own block is forced and counted."""
        c, n = self.c, ik.shape[1]
        n_blocks = n // c.block_size
        position = torch.arange(n, device=ik.device)
        scores = torch.einsum("bgqd,bkd->bgqk", iq.float(), ik.float()).masked_fill(position[None] > position[:, None], -math.inf)
        block = scores.view(*scores.shape[:3], n_blocks, c.block_size).amax(-1)
        own = position[:, None] // c.block_size == torch.arange(n_blocks, device=ik.device)[None]
        block = block.masked_fill(own, math.inf)
        kept = torch.zeros_like(block, dtype=torch.bool).scatter_(-1, block.topk(min(c.top_k_blocks, n_blocks), -1).indices, True)
        return kept & (block > -math.inf)

    def teach(self, q, k, iq, ik, rows, kept):
        """KL(main attention ‖ index distribution) on some query rows, and how much of the main attention the selection holds."""
        c, (b, _, n, d) = self.c, q.shape
        group = c.q_heads // c.kv_heads
        visible = torch.arange(n, device=q.device)[None] <= rows[:, None]
        with torch.no_grad():
            main = torch.einsum("bgrsd,bgkd->bgrsk", q[:, :, rows].view(b, c.kv_heads, group, len(rows), d).float(), k.float()) / math.sqrt(d)
            main = main.masked_fill(~visible, -math.inf)
            full = main.softmax(-1).mean(2)  # [B, kv_heads, rows, L]
            chosen = self.select_rows(iq, ik, rows) if kept is None else kept[:, :, rows]
            held = chosen.repeat_interleave(c.block_size, -1)
            mass = (full * held).sum(-1).mean()
            teacher = full if kept is None else main.masked_fill(~held[:, :, None], -math.inf).softmax(-1).mean(2)
        scores = torch.einsum("bgsd,bkd->bgsk", iq[:, :, rows].float(), ik.float()).masked_fill(~visible, -math.inf)
        if kept is not None:
            scores = scores.masked_fill(~held, -math.inf)
        log_index = scores.log_softmax(-1)
        kl = torch.where(teacher > 0, teacher * (teacher.clamp_min(1e-9).log() - log_index.clamp_min(-1e4)), torch.zeros_like(teacher)).sum(-1).mean()
        return kl, mass

    def select_rows(self, iq, ik, rows):
        c, n = self.c, ik.shape[1]
        n_blocks = n // c.block_size
        visible = torch.arange(n, device=ik.device)[None] <= rows[:, None]
        scores = torch.einsum("bgqd,bkd->bgqk", iq[:, :, rows].float(), ik.float()).masked_fill(~visible, -math.inf)
        block = scores.view(*scores.shape[:3], n_blocks, c.block_size).amax(-1)
        block = block.masked_fill(rows[:, None] // c.block_size == torch.arange(n_blocks, device=ik.device)[None], math.inf)
        kept = torch.zeros_like(block, dtype=torch.bool).scatter_(-1, block.topk(min(c.top_k_blocks, n_blocks), -1).indices, True)
        return kept & (block > -math.inf)

    def forward(self, x, cos, sin, rows, use_sparse):
        c, (b, n, _) = self.c, x.shape
        q = rotate(self.q_norm(self.q_proj(x).view(b, n, c.q_heads, c.head_dim)).transpose(1, 2), cos, sin)
        k = rotate(self.k_norm(self.k_proj(x).view(b, n, c.kv_heads, c.head_dim)).transpose(1, 2), cos, sin)
        v = self.v_proj(x).view(b, n, c.kv_heads, c.head_dim).transpose(1, 2)
        group = c.q_heads // c.kv_heads
        wide_k, wide_v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        kl = mass = x.new_zeros((), dtype=torch.float32)
        kept = None
        if self.sparse:
            iq, ik = self.index(x, cos, sin)
            if use_sparse:
                with torch.no_grad():
                    kept = self.select(iq, ik)
            if rows is not None:
                kl, mass = self.teach(q, k, iq, ik, rows, kept)
        if kept is None:
            y = attention(q, wide_k, wide_v, causal=True)
        else:
            position = torch.arange(n, device=x.device)
            allowed = kept.repeat_interleave(c.block_size, -1) & (position[None] <= position[:, None])
            mask = torch.zeros(allowed.shape, dtype=q.dtype, device=x.device).masked_fill(~allowed, -math.inf)
            fold = lambda z: z.reshape(b * c.kv_heads, group, n, c.head_dim)
            y = attention(fold(q), fold(wide_k), fold(wide_v), mask=mask.view(b * c.kv_heads, 1, n, n)).reshape(b, c.q_heads, n, c.head_dim)
        return self.o_proj(y.transpose(1, 2).reshape(b, n, -1)), kl, mass


class DenseMlp(nn.Module):
    def __init__(self, hidden, width):
        super().__init__()
        self.gate_proj, self.up_proj = nn.Linear(hidden, width, bias=False), nn.Linear(hidden, width, bias=False)
        self.down_proj = nn.Linear(width, hidden, bias=False)

    def forward(self, x):
        return self.down_proj(swiglu(self.gate_proj(x), self.up_proj(x)))


class SparseMoe(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.gate = nn.Parameter(torch.randn(c.experts, c.hidden) * 0.02)
        self.register_buffer("e_score_correction_bias", torch.zeros(c.experts))
        self.w1 = nn.Parameter(torch.empty(c.experts, c.expert_width, c.hidden))  # gate
        self.w3 = nn.Parameter(torch.empty(c.experts, c.expert_width, c.hidden))  # up
        self.w2 = nn.Parameter(torch.empty(c.experts, c.hidden, c.expert_width))  # down
        self.shared_experts = DenseMlp(c.hidden, c.shared_width)

    def forward(self, x):
        c = self.c
        with torch.autocast(x.device.type, enabled=False):
            score = torch.sigmoid(F.linear(x.float(), self.gate))
        top = (score + self.e_score_correction_bias).topk(c.experts_per_token, -1).indices
        weight = torch.zeros_like(score).scatter(-1, top, score.gather(-1, top))
        load = (weight > 0).float().sum((0, 1))
        weight = weight / weight.sum(-1, keepdim=True) * c.routed_scaling
        hidden = swiglu(F.linear(x, self.w1.reshape(-1, c.hidden)), F.linear(x, self.w3.reshape(-1, c.hidden)))
        hidden = hidden * weight.to(hidden.dtype).repeat_interleave(c.expert_width, -1)
        return F.linear(hidden, self.w2.transpose(0, 1).reshape(c.hidden, -1)) + self.shared_experts(x), load


class Layer(nn.Module):
    def __init__(self, c, index):
        super().__init__()
        self.moe = index >= c.dense_layers
        self.input_layernorm, self.post_attention_layernorm = RmsNorm(c.hidden), RmsNorm(c.hidden)
        self.self_attn = Attention(c, self.moe)
        self.mlp = SparseMoe(c) if self.moe else DenseMlp(c.hidden, c.dense_width)

    def forward(self, x, cos, sin, rows, use_sparse):
        y, kl, mass = self.self_attn(self.input_layernorm(x), cos, sin, rows, use_sparse)
        x = x + y
        y = self.mlp(self.post_attention_layernorm(x))
        load = None
        if self.moe:
            y, load = y
        return x + y, kl, mass, load


class Pointer(nn.Module):
    """Which picture token the model looks for: an auxiliary head that exists for training only."""

    def __init__(self, c, width=128):
        super().__init__()
        self.query, self.key = nn.Linear(c.hidden, width, bias=False), nn.Linear(c.hidden, width, bias=False)

    def forward(self, x, pictures):  # [B, n, H], [B, picture tokens, H] -> [B, n, picture tokens]
        normed = lambda y: y * torch.rsqrt(y.float().pow(2).mean(-1, keepdim=True) + 1e-6).to(y.dtype)
        return self.query(normed(x)) @ self.key(normed(pictures)).transpose(-1, -2) / math.sqrt(self.query.out_features)


class Nano(nn.Module):
    def __init__(self, c=None):
        super().__init__()
        self.c = c = c or Config()
        self.vision = Vision(c)
        self.embed_tokens = nn.Embedding(c.vocabulary, c.hidden)
        self.layers = nn.ModuleList(Layer(c, i) for i in range(c.layers))
        self.norm = RmsNorm(c.hidden)
        self.lm_head = nn.Linear(c.hidden, c.vocabulary, bias=False)
        self.patch_head = nn.Linear(c.vision_hidden, sum(MAP_SIZES))
        self.map_head = nn.Linear(c.hidden, MERGE * MERGE * sum(MAP_SIZES))
        self.position_head = nn.Linear(c.hidden, MOST_ROWS + MOST_COLUMNS)
        self.pointer_head = nn.ModuleList(Pointer(c) for _ in POINTED_AFTER)
        self._initialise()

    def _initialise(self):
        residual = 0.02 / math.sqrt(2 * self.c.layers)
        for name, parameter in self.named_parameters():
            if parameter.dim() >= 2 and "patch_embedding" not in name:
                small = name.endswith(("o_proj.weight", "down_proj.weight", "out_proj.weight", "fc2.weight", ".w2"))
                nn.init.normal_(parameter, 0, residual if small else 0.02)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)

    def angles(self, length, device):
        c = self.c
        inverse = c.rope_theta ** (-torch.arange(0, c.rotary_dim, 2, device=device).float() / c.rotary_dim)
        angle = torch.arange(length, device=device)[:, None] * inverse
        return angle.cos(), angle.sin()

    def forward(self, frames, ids, starts, first_answer, rows=None, use_sparse=False, with_maps=False, heads_alone=False):
        """frames: see Vision.embed, pictures of a conversation in a row; ids [B, L]; starts [B, pictures]: first image token.
        Returns logits [B, L - first_answer, V], map (if asked for) and position logits of the pictures, the layers' statistics, and
        (with the maps) pointer logits [B, L - first_answer, picture tokens] of each layer in POINTED_AFTER.
        heads_alone: no gradient flows from the auxiliary heads into the model."""
        seen = (lambda y: y.detach()) if heads_alone else (lambda y: y)
        features, position, patches = self.vision(frames, heads_alone)
        x = self.embed_tokens(ids).to(features.dtype)
        tokens = features.shape[1]  # of a picture
        places = (starts[:, :, None] + torch.arange(tokens, device=ids.device)).reshape(ids.shape[0], -1)  # [B, picture tokens]
        at = places[:, :, None].expand(-1, -1, self.c.hidden)
        x = x.scatter(1, at, features.reshape(ids.shape[0], -1, self.c.hidden))
        cos, sin = self.angles(ids.shape[1], ids.device)
        kls, masses, loads, position_2, pointers = [], [], [], None, []
        for i, layer in enumerate(self.layers):
            x, kl, mass, load = layer(x, cos, sin, rows, use_sparse)
            if load is not None:
                kls.append(kl), masses.append(mass), loads.append(load)
            if i == 2:
                position_2 = self.position_head(seen(x).gather(1, at)).reshape(-1, tokens, MOST_ROWS + MOST_COLUMNS)
            if with_maps and i in POINTED_AFTER:
                pointers.append(self.pointer_head[len(pointers)](seen(x)[:, first_answer:], seen(x).gather(1, at)))
        logits = self.lm_head(self.norm(x[:, first_answer:]))
        maps = None
        if with_maps:
            maps = self.patch_head(seen(patches)), self.map_head(seen(features)).view(features.shape[0], tokens * MERGE * MERGE, -1)
        return logits, maps, (position, position_2), torch.stack(kls), torch.stack(masses), torch.stack(loads), pointers
