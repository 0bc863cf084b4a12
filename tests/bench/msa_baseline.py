#!/usr/bin/env python3
"""What msa_bench is measured against, in PyTorch: dense attention of M3's heads (flash with a kv head's 16 query heads
as rows for decode, cuDNN for prefill), index scoring as a matrix product, and the GPU's copy and product rates.
Prints one line per workload: "torch NAME CONTEXT MICROSECONDS"."""
import statistics

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

Q_HEADS, KV_HEADS, DIM, CHUNK = 64, 4, 128, 8192


def measure(call, n_calls=10, n_batches=20):
    for _ in range(3):
        call()
    times = []
    for _ in range(n_batches):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        for _ in range(n_calls):
            call()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) * 1000 / n_calls)
    return statistics.median(times)


def report(name, context, us):
    print(f"torch {name} {context} {us:.2f}", flush=True)


def random(*shape):
    return torch.randn(*shape, device="cuda", dtype=torch.bfloat16)


def decode(n):
    n_caches = max(1, min(16, int(256e6 / (n * 2048)) + 1))
    caches = [(random(KV_HEADS, 1, n, DIM), random(KV_HEADS, 1, n, DIM)) for _ in range(n_caches)]
    q = random(KV_HEADS, 1, Q_HEADS // KV_HEADS, DIM)
    turn = iter(range(10**9))

    def call():
        k, v = caches[next(turn) % n_caches]
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            F.scaled_dot_product_attention(q, k, v)

    report("decode_dense", n, measure(call, 20))


def prefill(n):
    q, k, v = random(1, Q_HEADS, n, DIM), random(1, KV_HEADS, n, DIM), random(1, KV_HEADS, n, DIM)
    k, v = (x.repeat_interleave(Q_HEADS // KV_HEADS, 1) for x in (k, v))
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
        us = measure(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True), 1, 20 if n < 100000 else 5)
    report("prefill_dense_whole", n, us)


def main():
    a, b = torch.empty(2**31, dtype=torch.uint8, device="cuda"), torch.empty(2**31, dtype=torch.uint8, device="cuda")
    print(f"# {torch.cuda.get_device_name()} torch {torch.__version__}")
    report("copy_4GB", 0, measure(lambda: a.copy_(b), 5))
    x, w = random(8192, 8192), random(8192, 8192)
    report("product_8192", 0, measure(lambda: x @ w, 5))
    del a, b
    for n in (8192, 32768, 131072, 524288, 1048576):
        decode(n)
    for n in (8192, 32768, 131072):
        prefill(n)


if __name__ == "__main__":
    main()
