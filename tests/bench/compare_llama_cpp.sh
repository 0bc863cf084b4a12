#!/bin/bash
# Prefill and decode speed of the engine and of llama.cpp, side by side in one run on one machine: the same random model
# of M3's shape, as Q8_0 for llama.cpp and as MXFP8 for the engine.
#
# PEER_DIR is a folder that holds
#   bench.mjs                     prints llama.cpp's speed: node bench.mjs MODEL.gguf THREADS CONTEXT...
#   node_modules/node-llama-cpp   npm install --ignore-scripts node-llama-cpp@3.22.1
#   m3-random/                    m3-random-q8_0.gguf, config.json, model.safetensors (python3 make_models.py m3-random)
#
# Each context is measured by both sides before the next, so that a change of the machine's speed meets both. Both first
# read their model from disk themselves, since how a file was read decides on which size of pages it is cached.
set -euo pipefail
usage="Usage: compare_llama_cpp.sh PEER_DIR M3_BENCH [THREADS [CONTEXT...]]"
[ $# -ge 2 ] || { echo "$usage" >&2; exit 2; }
peer_dir=$(realpath "$1")
m3_bench=$(realpath "$2")
threads=${3:-$(nproc)}
shift "$(($# < 3 ? $# : 3))"
contexts=("$@")
[ ${#contexts[@]} -gt 0 ] || contexts=(16 512 4096 8192 16384)

echo "$(grep -m1 'model name' /proc/cpuinfo | cut -d: -f2-), $threads threads:" \
  "$(grep -m1 flags /proc/cpuinfo | tr ' ' '\n' | grep -E '^(avx2|fma|f16c|avx512f|avx512_vnni|avx512_bf16)$' | tr '\n' ' ')"
cd "$peer_dir"
sync
for model in m3-random/*.gguf m3-random/*.safetensors; do dd if="$model" iflag=nocache count=0 status=none; done
node bench.mjs m3-random/m3-random-q8_0.gguf "$threads" 16 >/dev/null
"$m3_bench" m3-random --threads "$threads" --contexts 16 >/dev/null
for context in "${contexts[@]}"; do
  echo "-- context $context"
  echo "llama.cpp: $(node bench.mjs m3-random/m3-random-q8_0.gguf "$threads" "$context")"
  "$m3_bench" m3-random --threads "$threads" --contexts "$context"
done
