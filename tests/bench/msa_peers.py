#!/usr/bin/env python3
"""What M3's sparse attention is compared with on this machine's GPU: msa_peers.py [PATH/TO/msa_bench]

1. The form that serving engines use on Hopper, in Triton kernels of our own: prefill with one program per token and kv
   head ("query-outer"), scoring with one program per 64 queries and index head whose scores are written, then top-k.
2. The other way to be sparse: the 2,048 best tokens of all, one choice for all kv heads (as DeepSeek's DSA), on the same
   keys: scoring, top-k, gathering, the whole layer.

With the path of msa_bench, its times stand beside. Times are medians of 20 in microseconds; keys are random; caches
rotate beyond the L2 where a call reads less. Kernels are checked first."""
import sys

import torch
import triton
import triton.language as tl
from msa_bench import CHUNK, DIM, KV_HEADS, Q_HEADS, measure, random, run_ours

GROUP, BLOCK, TOP_K, TOKENS = 16, 128, 16, 2048
SCALE_LOG2 = DIM**-0.5 * 1.4426950408889634


@triton.jit
def attend_query_outer(out, q, k, v, ids, n_keys, first_position, scale_log2, TOP_K: tl.constexpr):
    """One program: the 16 query heads of a kv head for one token, over its chosen blocks of 128 keys."""
    token, head = tl.program_id(0), tl.program_id(1)
    rows, dims, cols = tl.arange(0, 16), tl.arange(0, 128), tl.arange(0, 128)
    at = (token * 64 + head * 16 + rows)[:, None] * 128 + dims[None, :]
    query = tl.load(q + at)
    largest = tl.full((16,), float("-inf"), tl.float32)
    total = tl.zeros((16,), tl.float32)
    sums = tl.zeros((16, 128), tl.float32)
    for i in range(TOP_K):
        block = tl.load(ids + (token * 4 + head) * TOP_K + i)
        if block >= 0:
            key = block * 128 + cols
            where = (head.to(tl.int64) * n_keys + key)[:, None] * 128 + dims[None, :]
            scores = tl.dot(query, tl.trans(tl.load(k + where))) * scale_log2
            scores = tl.where((key <= first_position + token)[None, :], scores, float("-inf"))
            best = tl.maximum(largest, tl.max(scores, 1))
            weights = tl.exp2(scores - best[:, None])
            shrink = tl.exp2(largest - best)
            total = total * shrink + tl.sum(weights, 1)
            sums = sums * shrink[:, None] + tl.dot(weights.to(tl.bfloat16), tl.load(v + where))
            largest = best
    tl.store(out + at, (sums / total[:, None]).to(tl.bfloat16))


@triton.jit
def score_blocks(scores, q, k, n_blocks, n_tokens, first_position):
    """One program: 64 queries of one index head; the best score of each block is written."""
    first, head = tl.program_id(0) * 64, tl.program_id(1)
    rows, dims, cols = tl.arange(0, 64), tl.arange(0, 128), tl.arange(0, 128)
    query = tl.load(q + ((first + rows) * 4 + head)[:, None] * 128 + dims[None, :])
    position = first_position + first + rows
    for block in range(0, (first_position + first + 63) // 128 + 1):
        key = block * 128 + cols
        keys = tl.load(k + key[:, None] * 128 + dims[None, :])
        s = tl.where(key[None, :] <= position[:, None], tl.dot(query, tl.trans(keys)), float("-inf"))
        tl.store(scores + (head * n_tokens + first + rows).to(tl.int64) * n_blocks + block, tl.max(s, 1))


@triton.jit
def score_tokens(scores, q, head_weights, k, n_keys, KEYS: tl.constexpr):
    """DSA's score of a token for one query: the weighted sum over index heads of the positive scores."""
    key = tl.program_id(0) * KEYS + tl.arange(0, KEYS)
    heads, dims = tl.arange(0, 16), tl.arange(0, 128)
    query = tl.load(q + heads[:, None] * 128 + dims[None, :], mask=heads[:, None] < 4, other=0.0)
    weight = tl.load(head_weights + heads, mask=heads < 4, other=0.0)
    keys = tl.load(k + key[:, None] * 128 + dims[None, :], mask=key[:, None] < n_keys, other=0.0)
    s = tl.maximum(tl.dot(query, tl.trans(keys)), 0.0)
    tl.store(scores + key, tl.sum(s * weight[:, None], 0), mask=key < n_keys)


@triton.jit
def attend_gathered(partial, states, q, k, v, ids, n_keys, scale_log2, KEYS: tl.constexpr, IS_BLOCKS: tl.constexpr):
    """Decode, one program per part of KEYS chosen keys and kv head. ids: tokens for all heads, or blocks per head."""
    part, head = tl.program_id(0), tl.program_id(1)
    rows, dims, cols = tl.arange(0, 16), tl.arange(0, 128), part * KEYS + tl.arange(0, KEYS)
    query = tl.load(q + (head * 16 + rows)[:, None] * 128 + dims[None, :])
    if IS_BLOCKS:
        key = tl.load(ids + head * 16 + part * KEYS // 128) * 128 + cols % 128
    else:
        key = tl.load(ids + cols)
    where = (head.to(tl.int64) * n_keys + key)[:, None] * 128 + dims[None, :]
    scores = tl.dot(query, tl.trans(tl.load(k + where))) * scale_log2
    largest = tl.max(scores, 1)
    weights = tl.exp2(scores - largest[:, None])
    sums = tl.dot(weights.to(tl.bfloat16), tl.load(v + where))
    at = (head * tl.num_programs(0) + part) * 16 + rows
    tl.store(partial + at[:, None] * 128 + dims[None, :], sums)
    tl.store(states + at * 2, largest)
    tl.store(states + at * 2 + 1, tl.sum(weights, 1))


def merge(partial, states):
    """[kv heads, parts, 16, 128] and [kv heads, parts, 16, 2] to [64, 128]."""
    share = torch.exp2(states[..., 0] - states[..., 0].amax(1, keepdim=True))
    return ((partial * share[..., None]).sum(1) / (states[..., 1] * share).sum(1)[..., None]).reshape(64, DIM)


def replayed(call, n_calls=20):
    """Microseconds per call in a CUDA graph, for what is too short to launch one by one."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(n_calls):
            call()
    return measure(graph.replay, 1) / n_calls


def random_choices(n, first, per_tokens):
    """Blocks [CHUNK, 4, 16], ascending; per_tokens neighbours share them. The own block is always among them."""
    own = (first + torch.arange(CHUNK, device="cuda")) // BLOCK
    weight = torch.rand(CHUNK // per_tokens, KV_HEADS, (n + BLOCK - 1) // BLOCK, device="cuda")
    weight = weight.repeat_interleave(per_tokens, 0)
    block = torch.arange(weight.shape[2], device="cuda")
    weight = torch.where(block > own[:, None, None], -1.0, torch.where(block == own[:, None, None], 2.0, weight))
    k = min(TOP_K, weight.shape[2])
    value, ids = weight.topk(k, 2)
    ids = torch.where(value >= 0, ids, 1 << 30).sort(2).values
    return torch.where(ids < 1 << 30, ids, -1).to(torch.int32).contiguous()


def check():
    n, first = 4096 + CHUNK, 4096
    q, k, v = random(CHUNK, Q_HEADS, DIM), random(KV_HEADS, n, DIM), random(KV_HEADS, n, DIM)
    ids, out = random_choices(n, first, 1), torch.empty_like(q)
    attend_query_outer[(CHUNK, KV_HEADS)](out, q, k, v, ids, n, first, SCALE_LOG2, TOP_K)
    for token in (0, 77, CHUNK - 1):
        for head in range(KV_HEADS):
            chosen = ids[token, head][ids[token, head] >= 0].long()
            keys = (chosen[:, None] * BLOCK + torch.arange(BLOCK, device="cuda")).flatten()
            keys = keys[keys <= first + token]
            rows = q[token, head * GROUP : (head + 1) * GROUP].float()
            want = torch.softmax(rows @ k[head, keys].float().T * DIM**-0.5, 1) @ v[head, keys].float()
            got = out[token, head * GROUP : (head + 1) * GROUP].float()
            assert ((got - want).norm() / want.norm()).item() < 1e-2, (token, head)
    index_q, index_k = random(CHUNK, KV_HEADS, DIM), random(n, DIM)
    scores = torch.full((KV_HEADS, CHUNK, n // BLOCK), float("-inf"), device="cuda")
    score_blocks[(CHUNK // 64, KV_HEADS)](scores, index_q, index_k, n // BLOCK, CHUNK, first)
    row = (index_q[500, 2].float() @ index_k.float().T)[: first + 501]
    want = torch.nn.functional.pad(row, (0, -row.numel() % BLOCK), value=float("-inf")).view(-1, BLOCK).amax(1)
    assert torch.allclose(scores[2, 500, : want.numel()], want, atol=1e-2)


def prefill(n, ours):
    first = n - CHUNK
    q, out = random(CHUNK, Q_HEADS, DIM), torch.empty(CHUNK, Q_HEADS, DIM, device="cuda", dtype=torch.bfloat16)
    k, v = random(KV_HEADS, n, DIM), random(KV_HEADS, n, DIM)
    for name, per_tokens in (("prefill_attend_blocks", 1), ("prefill_attend_shared_blocks", 64)):
        ids = random_choices(n, first, per_tokens)
        us = measure(lambda: attend_query_outer[(CHUNK, KV_HEADS)](out, q, k, v, ids, n, first, SCALE_LOG2, TOP_K), 3)
        row(name + ", query-outer", n, us, ours.get((name, n)))
    index_q, index_k = random(CHUNK, KV_HEADS, DIM), random(n, DIM)
    scores = torch.full((KV_HEADS, CHUNK, n // BLOCK), float("-inf"), device="cuda")

    def select():
        score_blocks[(CHUNK // 64, KV_HEADS)](scores, index_q, index_k, n // BLOCK, CHUNK, first)
        scores.topk(TOP_K, 2)

    row("prefill_select, written scores and topk", n, measure(select, 1), ours.get(("prefill_select", n)))


def token_level_prefill(n, n_queries=1024):
    """Scoring and choosing by tokens, for n_queries of them, scaled to a chunk."""
    q, index_k = random(n_queries * KV_HEADS, DIM), random(n, DIM)
    weights = torch.rand(n_queries, KV_HEADS, 1, device="cuda", dtype=torch.bfloat16)
    scores = torch.empty(n_queries, n, device="cuda", dtype=torch.bfloat16)

    def score():
        products = (q @ index_k.T).view(n_queries, KV_HEADS, n)
        torch.sum(products.relu_() * weights, 1, out=scores)

    scale = CHUNK / n_queries
    row("prefill, token-level scoring", n, measure(score, 1, 5) * scale)
    row("prefill, token-level top 2,048", n, measure(lambda: scores.topk(TOKENS, 1), 1, 5) * scale)


def decode(n, ours):
    n_caches = max(1, min(8, int(256e6 / (n * 256)) + 1))
    caches = [(random(KV_HEADS, n, DIM), random(KV_HEADS, n, DIM), random(n, DIM)) for _ in range(n_caches)]
    q, index_q, weights = random(Q_HEADS, DIM), random(KV_HEADS, DIM), torch.rand(KV_HEADS, device="cuda")
    scores = torch.empty(n, device="cuda")
    turn = iter(range(10**9))
    tokens = [torch.randperm(n, device="cuda")[:TOKENS].sort().values for _ in range(n_caches)]
    blocks = [torch.stack([torch.randperm(n // BLOCK, device="cuda")[:TOP_K].sort().values for _ in range(KV_HEADS)])
              for _ in range(n_caches)]
    buffers = {keys: (torch.empty(KV_HEADS, TOKENS // keys, GROUP, DIM, device="cuda"),
                      torch.empty(KV_HEADS, TOKENS // keys, GROUP, 2, device="cuda")) for keys in (32, 64)}

    def score(cache):
        score_tokens[(triton.cdiv(n, 128),)](scores, index_q, weights, cache[2], n, 128)

    def attend(cache, ids, is_blocks, keys=64):
        partial, states = buffers[keys]
        attend_gathered[(TOKENS // keys, KV_HEADS)](partial, states, q, cache[0], cache[1], ids, n, SCALE_LOG2, keys, is_blocks)
        return partial, states

    def rotate(call):
        def turned():
            i = next(turn) % n_caches
            call(caches[i], i)
        return replayed(turned)

    def layer(cache, i):
        score(cache)
        attend(cache, scores.topk(TOKENS, sorted=False).indices, False)
        merge(*buffers[64])

    gathered = 4 * 2**20
    row("decode, token-level scoring", n, rotate(lambda c, i: score(c)))
    row("decode, token-level top 2,048", n, rotate(lambda c, i: scores.topk(TOKENS, sorted=False)))
    us = rotate(lambda c, i: attend(c, tokens[i], False))
    row(f"decode, gather 2,048 tokens ({gathered / us / 1e6:.2f} TB/s)", n, us)
    us = rotate(lambda c, i: attend(c, blocks[i], True))
    row(f"decode, gather 16 blocks a head ({gathered / us / 1e6:.2f} TB/s)", n, us)
    row("decode, token-level layer", n, rotate(layer), ours.get(("decode_msa", n)))


def row(name, n, us, ours=None):
    beside = f"{ours:12.1f} {us / ours:7.2f}" if ours else ""
    print(f"{name:48} {n:8} {us:12.1f} {beside}", flush=True)


def main():
    check()
    ours = run_ours(sys.argv[1]) if len(sys.argv) > 1 else {}
    print(f"torch {torch.__version__}, triton {triton.__version__}, {torch.cuda.get_device_name()}")
    print(f"{'workload':48} {'context':>8} {'us':>12} {'ours us':>12} {'ratio':>7}")
    for n in (8192, 32768, 131072, 524288, 1048576):
        prefill(n, ours)
        torch.cuda.empty_cache()
    for n in (32768, 131072):
        token_level_prefill(n)
        torch.cuda.empty_cache()
    for n in (8192, 32768, 131072, 524288, 1048576):
        decode(n, ours)
        torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
