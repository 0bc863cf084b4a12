#!/usr/bin/env python3
"""MSA against dense attention, one M3 layer on this machine's GPU: msa_bench.py PATH/TO/msa_bench [LONGEST]

Runs msa_bench, measures PyTorch's dense attention of the same heads (flash with a kv head's 16 query heads as rows for
decode, cuDNN for prefill) and the GPU's copy and product rates, runs msa_bench again and prints one table. "of floor" is
the time that the bytes (of the keys themselves, not of their summaries) or operations take at the measured rates, over
the time taken. "dense" is the better of PyTorch's and ours."""
import statistics
import subprocess
import sys

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


BASELINE = {}


def report(name, context, us):
    BASELINE[name, context] = us


def run_ours(program, longest=1 << 20):
    lines = subprocess.run([program, "all", str(longest)], check=True, capture_output=True, text=True).stdout.splitlines()
    print(lines[0])
    return {(name, int(context)): float(us) for name, context, us in (line.split() for line in lines[1:])}


def floors(name, n):
    """Bytes moved and operations done at least."""
    chunk = min(n, CHUNK)
    keys_of_chunk = chunk * (n - chunk / 2)
    return {
        "decode_select": (256 * n, 0),
        "decode_attend_blocks": (2048 * min(n, 2048), 0),
        "decode_msa": (256 * n + 2048 * min(n, 2048), 0),
        "decode_msa_by_keys": (256 * n + 2048 * min(n, 2048), 0),
        "decode_dense": (2048 * n, 0),
        "decode_60_layers": (57 * (256 * n + 2048 * min(n, 2048)) + 3 * 2048 * n, 0),
        "prefill_select": (0, 2 * KV_HEADS * DIM * keys_of_chunk),
        "prefill_attend_blocks": (0, 4 * Q_HEADS * DIM * chunk * min(n, 2048)),
        "prefill_attend_shared_blocks": (0, 4 * Q_HEADS * DIM * chunk * min(n, 2048)),
        "prefill_msa_whole": (0, KV_HEADS * DIM * n**2 + 4 * Q_HEADS * DIM * n * 2048),
        "prefill_dense_whole": (0, 2 * Q_HEADS * DIM * n**2),
    }[name]


def baseline_of(name, n):
    """The dense attention that a workload replaces, and a mark if it was scaled from a shorter context."""
    if name in ("decode_msa", "decode_msa_by_keys", "decode_dense"):
        return BASELINE["decode_dense", n], ""
    if name in ("prefill_msa_whole", "prefill_dense_whole"):
        longest = max(context for key, context in BASELINE if key == "prefill_dense_whole")
        if n <= longest:
            return BASELINE["prefill_dense_whole", n], ""
        return BASELINE["prefill_dense_whole", longest] * (n / longest) ** 2, "*"
    return None, ""


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
    longest = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 20
    first = run_ours(sys.argv[1], longest)
    a, b = torch.empty(2**31, dtype=torch.uint8, device="cuda"), torch.empty(2**31, dtype=torch.uint8, device="cuda")
    bandwidth = 2 * a.numel() / measure(lambda: a.copy_(b), 5)  # bytes per microsecond
    x, w = random(8192, 8192), random(8192, 8192)
    rate = 2 * 8192**3 / measure(lambda: x @ w, 5)
    del a, b
    for n in (2048, 8192, 32768, 131072, 524288, 1048576):
        if n <= longest:
            decode(n)
    for n in (2048, 4096, 8192, 32768, 131072):
        if n <= longest:
            prefill(n)
    torch.cuda.empty_cache()
    second = run_ours(sys.argv[1], longest)
    for (name, n), us in first.items():  # the better of both is what a sparse layer is compared with
        if name in ("decode_dense", "prefill_dense_whole"):
            BASELINE[name, n] = min(BASELINE[name, n], us)
    print(f"torch {torch.__version__}, copy {bandwidth / 1e6:.2f} TB/s, products {rate / 1e6:.0f} TFLOP/s")
    print(f"{'workload':30} {'context':>8} {'ours us':>12} {'again':>12} {'dense us':>12} {'ratio':>7} {'of floor':>9}")
    for (name, n), us in first.items():
        n_bytes, n_operations = floors(name, n)
        dense, mark = baseline_of(name, n)
        ratio = f"{dense / us:.2f}{mark}" if dense else ""
        floor = max(n_bytes / bandwidth, n_operations / rate)
        print(f"{name:30} {n:8} {us:12.1f} {second[name, n]:12.1f} {dense or 0:12.1f} {ratio:>7} {floor / us:9.0%}")
    print("* dense scaled from 128K by the square of the context")


if __name__ == "__main__":
    main()
