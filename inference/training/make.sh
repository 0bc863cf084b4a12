#!/bin/bash
# Makes nano from nothing on one machine with CUDA, PyTorch (≥ 2.6), regex and Qt 6: make.sh WORK_DIR SECONDS N_GPUS
# What is there already (fonts, tokenizer, training state) is kept, so a second call goes on.
set -e
here=$(cd "$(dirname "$0")" && pwd) work=$(mkdir -p "$1" && cd "$1" && pwd) seconds=$2 gpus=$3
model=$here/../../resources/models/nano
[ -d "$work/fonts" ] || bash "$here/fetch_fonts.sh" "$work/fonts"
[ -d "$work/icons" ] || python3 "$here/fetch_icons.py" "$work/icons"
printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>' "$work/fonts" "$work/font-cache" > "$work/fonts.conf"
export SCREENS_ICONS=$work/icons FONTCONFIG_FILE=$work/fonts.conf QT_QPA_PLATFORM=offscreen
cmake -S "$here/screens" -B "$work/screens" -G Ninja && ninja -C "$work/screens"
mkdir -p "$model"
cp "$here/chat_template.jinja" "$model/"
[ -f "$model/tokenizer.json" ] || python3 "$here/corpus.py" "$work/screens/screens" 700 | python3 "$here/tokens.py" "$model"
bash "$here/pack.sh" "$work/screens/screens" "$work/fonts" "$work/icons" "$work/pack"
bash "$here/run.sh" "$work/pack" "$work/state" "$work/out" "$gpus" --budget "$seconds" --rows 96
python3 "$here/evaluate.py" --screens "$work/screens/screens" --tokenizer "$model/tokenizer.json" --weights "$work/state/weights.pt" --out "$work/out/evaluation.json"
python3 "$here/export.py" "$work/state/weights.pt" "$model"
