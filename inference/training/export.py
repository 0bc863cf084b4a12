"""Writes nano as a checkpoint folder in the released form: MXFP8 for the text model's linears, bf16 elsewhere, fp32 router.

Usage: export.py WEIGHTS.pt OUT_DIR     (OUT_DIR holds tokenizer.json and chat_template.jinja already)
"""
import json
import os
import sys

import numpy as np
import torch

import tensors
import tokens
from model import Config

TEXT = "language_model.model."
VISION = "vision_tower.vision_model."


def released_names(state):
    """{name in the released form: fp32 array}; auxiliary heads are left out, stacked experts are cut apart."""
    out = {}
    for name, value in state.items():
        array = value.float().numpy()
        if "_head." in name and not name.startswith("lm_head"):
            continue
        if name.startswith("vision."):
            rest = name[len("vision."):]
            if rest == "patch_embedding":
                out[VISION + "embeddings.patch_embedding.weight"] = array
            elif rest.startswith("pre_layrnorm"):
                out[VISION + rest] = array
            elif rest.startswith("blocks."):
                _, index, part = rest.split(".", 2)
                where = "" if part.startswith("layer_norm") else "mlp." if part.startswith("fc") else "self_attn."
                out[f"{VISION}encoder.layers.{index}.{where}{part}"] = array
            else:
                out[rest.replace("projector_", "multi_modal_projector.linear_").replace("merge_", "patch_merge_mlp.linear_")] = array
        elif name.startswith("layers.") and ".mlp." in name and ".mlp.gate_proj" not in name and ".mlp.up_proj" not in name and ".mlp.down_proj" not in name:
            layer, part = name.split(".mlp.")
            where = f"{TEXT}{layer}.block_sparse_moe."
            if part in ("w1", "w2", "w3"):
                for expert in range(array.shape[0]):
                    out[f"{where}experts.{expert}.{part}.weight"] = array[expert]
            else:
                out[where + ("gate.weight" if part == "gate" else part)] = array
        else:
            out[("language_model." if name.startswith("lm_head") else TEXT) + name] = array
    return out


IGNORED = ["lm_head", "model.embed_tokens", "vision_tower", "multi_modal_projector", "patch_merge_mlp"]


def is_quantised(name, array):
    skip = ("lm_head", "embed_tokens", "vision_tower", "multi_modal_projector", "patch_merge_mlp", "block_sparse_moe.gate.", "norm")
    return array.ndim == 2 and name.endswith(".weight") and not any(part in name for part in skip)


def stored(named):
    """What the file holds."""
    out = {}
    for name, array in named.items():
        if is_quantised(name, array):
            codes, scales = tensors.mxfp8(array)
            out[name] = ("F8_E4M3", codes)
            out[name[:-len("weight")] + "weight_scale_inv"] = ("U8", scales)
        elif "block_sparse_moe.gate." in name or "e_score_correction_bias" in name or "patch_embedding" in name:
            out[name] = ("F32", np.ascontiguousarray(array, np.float32))
        else:
            out[name] = ("BF16", tensors.to_bf16(array))
    return out


def config(c, image, video):
    sparse = [0] * c.dense_layers + [1] * (c.layers - c.dense_layers)
    compression = {"image_token_compression_method": "patch_merge", "spatial_merge_size": 2, "temporal_patch_size": 2}
    return {
        "architectures": ["MiniMaxM3SparseForConditionalGeneration"], "model_type": "minimax_m3_vl", "torch_dtype": "bfloat16",
        "image_token_index": image, "video_token_index": video, "image_seq_length": 576, "process_image_mode": "dynamic_res",
        "projector_hidden_act": "gelu", "projector_hidden_size": c.hidden, "multimodal_projector_bias": True, "vision_feature_layer": -1,
        "vision_feature_select_strategy": "full", "img_token_compression_config": compression,
        "text_config": {
            "architectures": ["MiniMaxM3SparseForCausalLM"], "hidden_size": c.hidden, "num_hidden_layers": c.layers, "num_attention_heads": c.q_heads,
            "num_key_value_heads": c.kv_heads, "head_dim": c.head_dim, "vocab_size": c.vocabulary, "intermediate_size": c.expert_width,
            "dense_intermediate_size": c.dense_width, "shared_intermediate_size": c.shared_width, "n_shared_experts": 1, "num_local_experts": c.experts,
            "num_experts_per_tok": c.experts_per_token, "scoring_func": "sigmoid", "use_routing_bias": True, "routed_scaling_factor": c.routed_scaling,
            "hidden_act": "swigluoai", "swiglu_alpha": 1.702, "swiglu_limit": 7.0, "rms_norm_eps": 1e-6, "use_gemma_norm": True, "use_qk_norm": True,
            "qk_norm_type": "per_head", "rope_theta": c.rope_theta, "rotary_dim": c.rotary_dim, "partial_rotary_factor": c.rotary_dim / c.head_dim,
            "max_position_embeddings": 32768, "attention_output_gate": False, "tie_word_embeddings": False, "moe_layer_freq": sparse,
            "sparse_attention_config": {
                "use_sparse_attention": True, "sparse_index_dim": c.head_dim, "sparse_num_index_heads": c.kv_heads, "sparse_topk_blocks": c.top_k_blocks,
                "sparse_block_size": c.block_size, "sparse_score_type": "max", "sparse_init_block": 0, "sparse_local_block": 1,
                "sparse_attention_freq": sparse, "sparse_disable_index_value": sparse}},
        "vision_config": {
            "model_type": "clip_vision_model", "hidden_size": c.vision_hidden, "num_attention_heads": c.vision_heads, "num_hidden_layers": c.vision_layers,
            "intermediate_size": c.vision_width, "patch_size": 14, "image_size": 2016, "num_channels": 3, "projection_dim": c.hidden, "hidden_act": "gelu",
            "layer_norm_eps": 1e-5, "attention_dropout": 0.0, "position_embedding_type": "rope", "rope_mode": "3d", "rope_theta": 10000,
            "vision_segment_max_frames": 4, "img_token_compression_config": compression},
        "quantization_config": {"quant_method": "mxfp8", "activation_scheme": "dynamic", "weight_block_size": [1, 32],
                                "ignored_layers": IGNORED + [f"model.layers.{i}.block_sparse_moe.gate" for i in range(c.layers) if sparse[i]]},
    }


def main(weights, out):
    tokenizer = tokens.Tokenizer(os.path.join(out, "tokenizer.json"))
    c = Config(vocabulary=tokenizer.size)
    named = released_names(torch.load(weights, map_location="cpu"))
    tensors.write(os.path.join(out, "model.safetensors"), stored(named), {"format": "pt"})
    ids = tokenizer.special
    files = {
        "config.json": config(c, ids[tokens.IMAGE], ids[tokens.VIDEO]),
        "generation_config.json": {"bos_token_id": ids[tokens.HEADER], "eos_token_id": ids[tokens.END], "pad_token_id": ids[tokens.PAD], "do_sample": False},
        # Points are thousandths of the picture's sides, three digits each; calls are the short ones of MODEL_CARD.md.
        "deskhand.json": {"coordinates": "norm999", "screen": [896, 504], "short_calls": True, "thinking": "disabled"},
    }
    for name, content in files.items():
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1)
            file.write("\n")
    total = sum(array.size for array in named.values())
    print(f"{total / 1e6:.2f} M parameters, {os.path.getsize(os.path.join(out, 'model.safetensors')) / 2**20:.1f} MiB")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
