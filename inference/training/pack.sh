#!/bin/bash
# Packs what a training machine needs that has CUDA and PyTorch but neither Qt nor these fonts:
#   pack.sh SCREENS_PROGRAM FONTS_DIR ICONS_DIR OUT_DIR   ->   OUT_DIR/screens.tar.xz and OUT_DIR/training/
set -e
program=$1 fonts=$2 icons=$3 out=$4 here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
mkdir -p "$work/lib" "$work/plugins/platforms" "$work/fonts" "$out/training"
cp "$program" "$work/screens"
plugins=$(qtpaths6 --query QT_INSTALL_PLUGINS 2>/dev/null || echo /usr/lib/x86_64-linux-gnu/qt6/plugins)
cp "$plugins/platforms/libqoffscreen.so" "$work/plugins/platforms/"
for library in $(ldd "$work/screens" "$work/plugins/platforms/libqoffscreen.so" | awk '$3 ~ /^\// {print $3}' | sort -u); do
  case $(basename "$library") in libc.so* | libm.so* | libstdc++* | libgcc_s* | libpthread* | libdl.so* | librt.so* | ld-linux*) ;; *) cp -L "$library" "$work/lib/" ;; esac
done
cp "$fonts"/* "$work/fonts/"
cp -r "$icons" "$work/icons"
tar -C "$work" -cf - . | xz -T0 -6 > "$out/screens.tar.xz"
cp "$here"/*.py "$here"/run.sh "$out/training/"
cp "$here/../../resources/models/nano/tokenizer.json" "$out/training/"
rm -rf "$work"
