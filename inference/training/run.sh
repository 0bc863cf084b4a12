#!/bin/bash
# Trains on this machine from a pack (pack.sh): run.sh PACK_DIR STATE_DIR OUT_DIR N_GPUS train.py's other options …
pack=$1 state=$2 out=$3 gpus=$4
shift 4
home=${TMPDIR:-/tmp}/nano-pack
if [ ! -x "$home/screens" ]; then
  mkdir -p "$home" && tar -C "$home" -xJf "$pack/screens.tar.xz"
  mv "$home/screens" "$home/screens.bin"
  printf '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s</cachedir></fontconfig>' "$home/fonts" "$home/cache" > "$home/fonts.conf"
  cat > "$home/screens" <<END
#!/bin/bash
LD_LIBRARY_PATH=$home/lib QT_PLUGIN_PATH=$home/plugins FONTCONFIG_FILE=$home/fonts.conf QT_QPA_PLATFORM=offscreen exec $home/screens.bin "\$@"
END
  chmod +x "$home/screens"
  "$home/screens" --seed 1 --count 1 > "$home/first" || exit 1 # fills the font cache
fi
mkdir -p "$state" "$out"
export SCREENS_ICONS=$home/icons MASTER_ADDR=127.0.0.1 MASTER_PORT=29511 WORLD_SIZE=$gpus OMP_NUM_THREADS=2 PYTHONUNBUFFERED=1
pids=()
for ((rank = 0; rank < gpus; rank++)); do
  RANK=$rank LOCAL_RANK=$rank python3 "$pack/training/train.py" --screens "$home/screens" --tokenizer "$pack/training/tokenizer.json" --state "$state" --out "$out" "$@" > "$out/log.$rank" 2>&1 &
  pids+=($!)
done
wait "${pids[0]}"
status=$?
kill "${pids[@]}" 2> /dev/null # the others, if one failed
exit $status
