"""Reads the records of the screen generator (screens/main.cpp)."""
import json
import os
import struct
import subprocess

import numpy as np

MAP_BYTES = 8  # of a 14 px patch
SIZES = {"large": (1344, 756)}  # px of the pictures of a view; all others:
USUAL_SIZE = (896, 504)


def patches(size):
    return size[0] // 14 * (size[1] // 14)


def start(program, seed, stride, pairs, split="train", count=1 << 40, view="whole"):
    arguments = [program, "--seed", str(seed), "--stride", str(stride), "--count", str(count), "--split", split, "--view", view] + (["--pairs"] if pairs else [])
    arguments += ["--icons", os.environ["SCREENS_ICONS"]] if "SCREENS_ICONS" in os.environ else []
    environment = dict(os.environ, QT_QPA_PLATFORM="offscreen", QT_LOGGING_RULES="*=false")
    return subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, bufsize=1 << 20)


def read(stream, pictures=None, maps=None):
    """One scene: (pictures, maps, labels); pictures [frames, 504, 896, 3] and maps [frames, 2304, 8] (or a large view's) are filled in place when given."""
    header = stream.read(16)
    if len(header) < 16:
        return None
    magic, frames, json_bytes, _ = struct.unpack("<4I", header)
    if magic != 0x484B5344:
        raise ValueError("the screen generator's stream is out of step")
    if pictures is None:
        pictures, maps = np.empty((frames, USUAL_SIZE[1], USUAL_SIZE[0], 3), np.uint8), np.empty((frames, patches(USUAL_SIZE), MAP_BYTES), np.uint8)
    for k in range(frames):
        if stream.readinto(memoryview(pictures[k]).cast("B")) != pictures[k].nbytes or stream.readinto(memoryview(maps[k]).cast("B")) != maps[k].nbytes:
            return None
    return pictures, maps, json.loads(stream.read(json_bytes))
