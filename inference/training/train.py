"""Trains nano. Resumable: the state folder holds weights, optimizer and progress.

Usage: train.py --screens PROGRAM --tokenizer FILE --state DIR --budget SECONDS [--until SECONDS] [--out DIR] [--resume MODEL_DIR [--heads FILE]]
  --budget: seconds of training over all sittings (the learning rate follows it); --until: stop this sitting there;
  --resume: where the state folder is empty, start from an exported checkpoint; its auxiliary heads begin anew, unless FILE has
  them as slim.py keeps them.
Several GPUs: start one process each with RANK and WORLD_SIZE set (torchrun does).
"""
import argparse
import json
import math
import os
import time

import torch
import torch.nn.functional as F

import data
import tokens
from evaluate import Examiner
from evaluate_export import read_state
from model import MAP_SIZES, MOST_COLUMNS, Config, Nano
from real_rows import UNKNOWN
from optimizer import Muon, split_parameters

CYCLE = ("one", "two", "one", "one", "large", "one", "one", "one", "clip", "one", "two", "one", "one", "one", "two", "one")
SPARSE_FROM = 0.62  # share of the budget after which attention is sparse
WARM_UP = 300  # steps
HEADS_ALONE = 150  # steps in which auxiliary heads that begin anew learn from the model without moving it


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--screens", required=True)
    parser.add_argument("--tokenizer", required=True)
    parser.add_argument("--state", required=True)
    parser.add_argument("--out", default="")
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--until", type=float, default=1e9)
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--workers", type=int, default=15)
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--decay-from", type=float, default=0.65, help="share of the budget after which the rate falls")
    parser.add_argument("--resume", default="")
    parser.add_argument("--heads", default="")
    parser.add_argument("--no-compile", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def schedule(fraction, step, decay_from):
    """Warm-up, constant, then linear decay to the end of the budget."""
    return min(1.0, (step + 1) / WARM_UP) * max(0.03, min(1.0, (1 - fraction) / (1 - decay_from)))


class Trainer:
    def __init__(self, args):
        self.args = args
        self.rank, self.world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        os.makedirs(args.state, exist_ok=True)
        half = args.rows // 2
        plan = {"one": (4, args.rows), "two": (2, half), "clip": (1, args.rows), "large": (1, args.rows // 3)}
        progress = os.path.join(args.state, "progress.json")
        self.progress = json.load(open(progress)) if os.path.exists(progress) else {"seconds": 0.0, "step": 0, "screens": 0, "sitting": 0}
        self.progress["sitting"] += 1
        seed = args.seed * 100_000_000 + self.progress["sitting"] * 10_000_000 + self.rank * 1_000_000
        self.loader = data.Loader(args.screens, args.tokenizer, args.workers, plan, seed)
        self.examiner = Examiner(args.screens, args.tokenizer, {"one": 64, "two": 32, "clip": 16, "closer": 64}) if self.rank == 0 else None
        self.device = torch.device("cuda", self.rank) if torch.cuda.is_available() else torch.device("cpu")
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
            for buffer in self.loader.buffers:
                pin(buffer)
        if self.world > 1:
            torch.distributed.init_process_group("nccl")
        torch.manual_seed(args.seed)
        torch.set_float32_matmul_precision("high")
        self.model = Nano(Config(vocabulary=tokens.Tokenizer(args.tokenizer).size)).to(self.device)
        self.half = self.device.type == "cuda"
        if self.half:
            self.model.vision.compute_dtype = torch.bfloat16
        matrices, index, heads, rest = split_parameters(self.model)
        self.muon = Muon(matrices)
        fused = {"fused": True} if self.device.type == "cuda" else {}
        self.adam = torch.optim.AdamW([{"params": rest, "weight_decay": 0.01}, {"params": index, "weight_decay": 0.0}, {"params": heads, "weight_decay": 0.01}], lr=args.rate, betas=(0.9, 0.97), **fused)
        self.flat = flatten_gradients(self.model)
        self.resume()
        if not args.no_compile:
            torch._dynamo.config.cache_size_limit = 64
            for block in list(self.model.vision.blocks) + list(self.model.layers):
                block.compile(dynamic=False)
            self.losses = torch.compile(losses, dynamic=False)
        else:
            self.losses = losses
        self.log = open(os.path.join(args.out or args.state, f"curve.{self.progress['sitting']}.jsonl"), "w") if self.rank == 0 else None

    def resume(self):
        path = os.path.join(self.args.state, "weights.pt")
        self.sparse_from = 0.0 if self.args.resume else SPARSE_FROM
        self.new_heads = bool(self.args.resume) and not self.args.heads
        if self.args.resume and not os.path.exists(path):
            state = read_state(self.args.resume, self.model.c)
            if self.args.heads:
                state.update(torch.load(self.args.heads, map_location=self.device))
            print("resumed from", self.args.resume, self.model.load_state_dict(state, strict=False), flush=True)
        elif os.path.exists(path):
            missing = self.model.load_state_dict(torch.load(path, map_location=self.device), strict=False)
            print("resumed at", self.progress, missing, flush=True)
        path = os.path.join(self.args.state, "optimizer.pt")
        if os.path.exists(path):
            saved = torch.load(path, map_location=self.device)
            self.muon.load(saved["muon"])
            self.adam.load_state_dict(saved["adam"])

    def batch(self, kind):
        started = time.time()
        index = self.loader.take(kind)
        waited = time.time() - started
        arrays = self.loader.buffers[index].arrays
        out = {name: torch.from_numpy(array).to(self.device, non_blocking=True) for name, array in arrays.items()}
        if self.device.type == "cuda":
            copied = torch.cuda.Event()
            copied.record()
            self.pending = getattr(self, "pending", []) + [(copied, index)]
            while self.pending and (len(self.pending) > 2 or self.pending[0][0].query()):
                event, old = self.pending.pop(0)
                event.synchronize()
                self.loader.refill(old)
        else:
            out = {name: value.clone() for name, value in out.items()}
            self.loader.refill(index)
        return out, waited

    def step(self, kind, fraction):
        batch, waited = self.batch(kind)
        rate = self.args.rate * schedule(fraction, self.progress["step"], self.args.decay_from)
        alone = self.new_heads and self.progress["step"] < HEADS_ALONE
        ids = batch["ids"].long()
        rows = torch.randint(0, ids.shape[1], (self.model.c.kl_rows,), device=self.device).sort().values
        frames = batch["frames"]
        frames = frames if kind == "clip" else frames.flatten(0, 1)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.half):
            first = data.FIRST_ANSWER[kind]
            out = self.model(frames, ids, batch["starts"], first, rows, fraction >= self.sparse_from, True, alone)
            maps = batch["maps"][:, -1:] if kind == "clip" else batch["maps"]
            loss, parts = self.losses(out[0], ids[:, first + 1:], batch["spoken"][:, first + 1:], out[1], maps.flatten(0, 1), frames.shape[-2] // 28, out[2][0], out[2][1], out[3], out[6], batch["cells"][:, first + 1:])
        loss.backward()
        if self.world > 1:
            torch.distributed.all_reduce(self.flat)
            self.flat.mul_(1 / self.world)
        self.flat.mul_((1.0 / (self.flat.norm() + 1e-6)).clamp(max=1.0))
        self.muon.step(rate)
        for group, its_rate in zip(self.adam.param_groups, (rate, rate * 0.5, self.args.rate if alone else rate)):
            group["lr"] = its_rate
        self.adam.step()
        self.flat.zero_()
        self.balance(out[5].detach())
        self.progress["step"] += 1
        self.progress["screens"] += batch["frames"].shape[0] * (1 if kind in ("one", "large") else 2) * self.world
        return torch.cat([torch.stack([p.detach() for p in parts]), out[4].detach()]), waited

    def balance(self, loads):
        """The router's selection bias drifts towards equal load; no auxiliary loss."""
        if self.world > 1:
            torch.distributed.all_reduce(loads)
        moe = [layer.mlp for layer in self.model.layers if layer.moe]
        for mlp, load in zip(moe, loads):
            mlp.e_score_correction_bias.add_(0.002 * torch.sign(load.mean() - load))

    def run(self):
        args, p = self.args, self.progress
        started, before = time.time(), p["seconds"]
        self.next_exam, self.next_save = before + 60, before + 150
        sums, waits, n = {}, 0.0, 0
        while True:
            if self.world == 1:
                p["seconds"] = before + time.time() - started
            elif p["step"] % 16 == 0:  # all processes must stop at the same step
                elapsed = torch.tensor(before + time.time() - started, device=self.device)
                torch.distributed.broadcast(elapsed, 0)
                p["seconds"] = float(elapsed)
            if p["seconds"] >= min(args.budget, args.until):
                break
            kind = CYCLE[p["step"] % len(CYCLE)]
            parts, waited = self.step(kind, p["seconds"] / args.budget)
            sums.setdefault(kind, []).append(parts)
            waits, n = waits + waited, n + 1
            if p["step"] % 64 == 0 and self.rank == 0:
                self.report(sums, waits, n, before, started)
                sums, waits, n = {}, 0.0, 0
            elif p["step"] % 64 == 0:
                sums, waits, n = {}, 0.0, 0
            if self.rank == 0 and p["seconds"] > self.next_save:
                self.save()
                self.next_save = p["seconds"] + 150
        if self.rank == 0:
            self.save(optimizer=True)
            self.exam()
        self.loader.stop()

    def report(self, sums, waits, n, before, started):
        p = self.progress
        line = {"step": p["step"], "seconds": round(p["seconds"]), "screens": p["screens"], "waited": round(waits / n, 3), "rate": round(self.args.rate * schedule(p["seconds"] / self.args.budget, p["step"], self.args.decay_from), 6)}
        for kind, parts in sums.items():
            mean = torch.stack(parts).mean(0).tolist()
            line[kind] = dict(zip(("loss", "answer", "maps", "position", "kl", "pointer"), (round(x, 4) for x in mean)))
            line[kind]["mass"] = round(min(mean[6:]), 3)
        if not math.isfinite(line.get("one", {"loss": 0})["loss"]):
            raise FloatingPointError(f"the loss is not finite: {line}")
        self.write(line)
        if p["seconds"] > self.next_exam:
            self.exam()
            self.next_exam = p["seconds"] + 180

    def exam(self):
        sparse = self.progress["seconds"] / self.args.budget >= self.sparse_from
        self.write({"step": self.progress["step"], "seconds": round(self.progress["seconds"]), "exam": self.examiner.quick(self.model, self.device, sparse)})

    def write(self, line):
        text = json.dumps(line)
        print(text, flush=True)
        self.log.write(text + "\n")
        self.log.flush()

    def save(self, optimizer=False):
        path = os.path.join(self.args.state, "weights.pt")
        torch.save(self.model.state_dict(), path + ".new")
        os.replace(path + ".new", path)
        if optimizer:
            torch.save({"muon": self.muon.state(), "adam": self.adam.state_dict()}, os.path.join(self.args.state, "optimizer.pt"))
        with open(os.path.join(self.args.state, "progress.json"), "w") as file:
            json.dump(self.progress, file)


def pin(buffer):
    for array in buffer.arrays.values():
        torch.cuda.cudart().cudaHostRegister(array.ctypes.data, -(-array.nbytes // 4096) * 4096, 0)


def flatten_gradients(model):
    """All gradients as views of one vector: one all-reduce, one norm."""
    parameters = list(model.parameters())
    flat = torch.zeros(sum(p.numel() for p in parameters), device=parameters[0].device)
    at = 0
    for p in parameters:
        p.grad = flat[at:at + p.numel()].view_as(p)
        at += p.numel()
    return flat


def map_loss(logits, maps):
    """Mean surprise per character (where there is one) and, at less weight, per start of text, kind, symbol and count; nothing counts little."""
    loss, at = 0, 0
    for i, (size, weight, empty) in enumerate(zip(MAP_SIZES, (0.25, 0.25, 0.25, 0.25, 0.3, 0.3, 0.3, 0.2), (0.1, 0.1, 0.1, 0.1, 0.05, 0.1, 0.02, 0.02))):
        wanted = maps[:, :, i].long().flatten()
        known = wanted != UNKNOWN
        surprise = F.cross_entropy(logits[:, :, at:at + size].float().flatten(0, 1), wanted * known, reduction="none")
        counts = torch.where(wanted > 0, 1.0, empty) * known
        loss = loss + weight * (surprise * counts).sum() / counts.sum().clamp_min(1)
        at += size
    return loss


def losses(logits, targets, spoken, map_logits, maps, columns, position, position_2, kls, pointers, cells):
    """targets, spoken, cells: of the tokens that the logits but the last foretell; columns: of a picture's tokens. Answer tokens; what each patch holds, seen from the vision tower and from the picture tokens; where each picture token is; the index branch;
    where on the picture each token of an answer is seen."""
    weight = spoken.float()
    answer = F.cross_entropy(logits[:, :-1].float().flatten(0, 1), targets.flatten(), reduction="none")
    answer = (answer * weight.flatten()).sum() / weight.sum().clamp_min(1)
    held = map_loss(map_logits[0], maps) + map_loss(map_logits[1], maps)
    pictures, tokens_each, _ = position.shape
    number = torch.arange(tokens_each, device=targets.device).repeat(pictures)
    place = 0
    for logit in (position, position_2):
        flat = logit.float().flatten(0, 1)
        place = place + F.cross_entropy(flat[:, :MOST_COLUMNS], number % columns) + F.cross_entropy(flat[:, MOST_COLUMNS:], number // columns)
    kl = kls.mean()
    cells = cells.long().flatten()
    known = (cells >= 0).float()
    pointer = 0
    for logit in pointers:
        surprise = F.cross_entropy(logit[:, :-1].float().flatten(0, 1), cells.clamp_min(0), reduction="none")
        pointer = pointer + (surprise * known).sum() / known.sum().clamp_min(1)
    loss = answer + 0.5 * held + 0.2 * place + kl + 0.15 * pointer
    return loss, (loss, answer, held, place, kl, pointer)


if __name__ == "__main__":
    Trainer(arguments()).run()
