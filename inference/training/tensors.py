"""The safetensors container and MXFP8 rounding, in numpy."""
import json
import struct

import numpy as np

TYPES = {"F32": np.float32, "I32": np.int32, "U8": np.uint8, "F8_E4M3": np.uint8, "BF16": np.uint16}


def write(path, tensors, metadata=None):
    """tensors: {name: (dtype name, array of that type's storage)}"""
    header, at = {"__metadata__": metadata} if metadata else {}, 0
    for name, (kind, array) in tensors.items():
        assert array.dtype == TYPES[kind], name
        header[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in tensors.values():
            file.write(np.ascontiguousarray(array).tobytes())


def read(path):
    """{name: float32, int32 or raw array}; MXFP8 weights come dequantised."""
    with open(path, "rb") as file:
        raw = file.read()
    size = struct.unpack("<Q", raw[:8])[0]
    header, body = json.loads(raw[8:8 + size]), raw[8 + size:]
    header.pop("__metadata__", None)
    out = {}
    for name, entry in header.items():
        array = np.frombuffer(body[slice(*entry["data_offsets"])], TYPES[entry["dtype"]]).reshape(entry["shape"])
        out[name] = E4M3[array] if entry["dtype"] == "F8_E4M3" else from_bf16(array) if entry["dtype"] == "BF16" else array
    for name in [n for n in out if n.endswith(".weight_scale_inv")]:
        weight = name[:-len("_scale_inv")]
        out[weight] = out[weight] * np.repeat(np.exp2(out.pop(name).astype(np.float32) - 127), 32, 1)
    return out


def to_bf16(array):
    """Round to nearest even."""
    bits = np.ascontiguousarray(array, np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def from_bf16(codes):
    return (codes.astype(np.uint32) << 16).view(np.float32)


def _e4m3_table():
    code = np.arange(256)
    exponent, fraction = (code >> 3) & 15, (code & 7) / 8
    value = np.where(exponent == 0, fraction * 2.0 ** -6, (1 + fraction) * 2.0 ** (exponent - 7.0))
    value[[0x7F, 0xFF]] = np.nan
    return np.where(code < 128, value, -value).astype(np.float32)


E4M3 = _e4m3_table()
_POSITIVE = E4M3[:127]


def mxfp8(weight):
    """[out, in] -> e4m3 codes [out, in], E8M0 scales [out, in / 32]; the largest of 32 lands in e4m3's top binades."""
    rows, columns = weight.shape
    blocks = np.asarray(weight, np.float32).reshape(rows, columns // 32, 32)
    top = np.maximum(np.abs(blocks).max(-1), 1e-30)
    exponent = np.floor(np.log2(top)) - 8
    exponent += top / np.exp2(exponent) > 448  # never saturate
    scaled = blocks / np.exp2(exponent)[..., None]
    magnitude = np.abs(scaled)
    middles = (_POSITIVE[1:] + _POSITIVE[:-1]) / 2
    codes = np.searchsorted(middles, magnitude, side="left").astype(np.uint8)
    odd_tie = (codes < 126) & (magnitude == middles[np.minimum(codes, 125)]) & (codes % 2 == 1)  # ties go to even codes
    codes = codes + odd_tie.astype(np.uint8) | np.where(scaled < 0, 0x80, 0).astype(np.uint8)
    return codes.reshape(rows, columns), (exponent + 127).astype(np.uint8)
