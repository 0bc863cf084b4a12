"""Batches made by worker processes straight into shared memory, so that the training process copies nothing but to the GPU.

Four kinds of batch: "one" (a picture and many turns), "two" (a step of an episode: two pictures), "clip" (before and after
as one video slot), "large" (as "one", 1344×756). Three in ten of the pictures of "one" are closer looks, and so is the second picture
of half the "two". Two workers of five run the generator for pairs, two of 15 of them for closer looks, one of 15 for large screens, the
others for single screens, some of which are cut out of a larger one.
"""
import mmap
import multiprocessing
import os

import numpy as np

import samples
import scenes
import tokens
from real_rows import RealScreens

KINDS = {"one": (1, samples.LENGTH_ONE), "two": (2, samples.LENGTH_TWO), "clip": (2, samples.LENGTH_ONE), "large": (1, samples.LENGTH_LARGE)}
FIRST_ANSWER = {"one": 581, "two": 581, "clip": 581, "large": 1301}  # no answer starts before the first picture ends
MAKERS = {"one": samples.one_screen, "two": samples.two_screens, "clip": samples.clip_question, "large": samples.large_screen}
CLOSER_MAKERS = {"one": samples.closer_screen, "two": samples.screen_and_closer}
PAIR_WORKERS = (1, 3)  # of each five
LARGE_WORKER, CLOSER_WORKERS = 4, (6, 11)  # of each 15
REAL_SHARE = 0.08  # of the single pictures, where the folder REAL_SCREENS has screens of real applications
CHUNK = 8  # rows that one worker fills at a time


class Buffer:
    """One batch in memory shared with the workers."""

    def __init__(self, kind, rows):
        self.kind, self.rows = kind, rows
        frames, length = KINDS[kind]
        size = scenes.SIZES.get(kind, scenes.USUAL_SIZE)
        shapes = {"frames": ((rows, frames, size[1], size[0], 3), np.uint8), "maps": ((rows, frames, scenes.patches(size), scenes.MAP_BYTES), np.uint8),
                  "ids": ((rows, length), np.int32), "cells": ((rows, length), np.int16), "spoken": ((rows, length), np.uint8), "starts": ((rows, frames if kind == "two" else 1), np.int64)}
        sizes = {name: int(np.prod(shape)) * np.dtype(kind_).itemsize for name, (shape, kind_) in shapes.items()}
        self.memory = mmap.mmap(-1, sum(-(-size // 4096) * 4096 for size in sizes.values()))
        self.arrays, at = {}, 0
        for name, (shape, kind_) in shapes.items():
            self.arrays[name] = np.frombuffer(self.memory, kind_, int(np.prod(shape)), at).reshape(shape)
            at += -(-sizes[name] // 4096) * 4096


def put(buffer, row, conversation, marker):
    """Writes a conversation into a row; padding is never spoken."""
    n = len(conversation)
    ids, spoken, starts = buffer.arrays["ids"][row], buffer.arrays["spoken"][row], buffer.arrays["starts"][row]
    ids[:n], ids[n:] = conversation.ids, conversation.tokenizer.special[tokens.PAD]
    spoken[:n], spoken[n:] = conversation.spoken, 0
    cells = buffer.arrays["cells"][row]
    cells[:n], cells[n:] = conversation.cells, -1
    image = np.flatnonzero(ids[:n] == conversation.tokenizer.special[marker])
    starts[:] = image[::conversation.image_tokens][:len(starts)]


class Maker:
    """Makes the rows of one worker."""

    def __init__(self, program, tokenizer, seed, stride, split, pairs, view, real=""):
        """real: a folder with screens of real applications (real_rows.py), which then stand among the others"""
        self.start = lambda at: scenes.start(program, at, stride, pairs, split, view=view)
        self.seed, self.stream = seed, self.start(seed)
        self.tokenizer = tokenizer
        self.random, self.pool = samples.seeded(seed), samples.Pool(split == "train")
        self.real = RealScreens(real, self.random) if real else None

    def row(self, buffer, row):
        """Fills a row and returns its conversation and labels."""
        kind = buffer.kind
        frames, maps = buffer.arrays["frames"][row], buffer.arrays["maps"][row]
        if self.real and self.random.random() < REAL_SHARE:
            labels = self.real.row(frames[0], maps[0])
        else:
            labels = self.generated(frames, maps)
        self.pool.feed(labels["first"], self.random)
        conversation = (CLOSER_MAKERS if "zoom" in labels else MAKERS)[kind](self.tokenizer, labels, self.random, self.pool)
        put(buffer, row, conversation, tokens.VIDEO if kind == "clip" else tokens.IMAGE)
        return conversation, labels

    def generated(self, frames, maps):
        """The labels of the generator's next scene."""
        scene = scenes.read(self.stream.stdout, frames, maps)
        restarts = 0
        while scene is None:  # the generator ended: go on behind the scene that it could not make
            restarts += 1
            if restarts > 20:
                raise RuntimeError(f"the screen generator makes no scene: {self.stream.args}")
            self.seed += 500_000
            self.stream = self.start(self.seed)
            scene = scenes.read(self.stream.stdout, frames, maps)
        return scene[2]


def work(number, program, tokenizer_path, seed, stride, split, buffers, tasks, done):
    os.environ["OMP_NUM_THREADS"] = "1"
    of_15 = number % 15
    view = "large" if of_15 == LARGE_WORKER else "zoom" if of_15 in CLOSER_WORKERS else "pair" if number % 5 in PAIR_WORKERS else "mixed"
    real = os.environ.get("REAL_SCREENS", "") if view == "mixed" and split == "train" else ""
    maker = Maker(program, tokens.Tokenizer(tokenizer_path), seed + number, stride, split, view in ("pair", "zoom"), "whole" if view == "pair" else view, real)
    queue = tasks[view]
    while True:
        index, first = queue.get()
        for row in range(first, min(first + CHUNK, buffers[index].rows)):
            maker.row(buffers[index], row)
        done.put(index)


class Loader:
    """Start it before CUDA is touched: the workers are forked. All kinds need at least seven workers."""

    def __init__(self, program, tokenizer_path, n_workers, plan, seed, stride=None, split="train"):
        """plan: {kind: (buffers, rows)}"""
        self.buffers = [Buffer(kind, rows) for kind, (n, rows) in plan.items() for _ in range(n)]
        context = multiprocessing.get_context("fork")
        self.tasks, self.done = {view: context.Queue() for view in ("pair", "zoom", "large", "mixed")}, context.Queue()
        self.missing = [0] * len(self.buffers)
        self.ready = {kind: [] for kind in plan}
        for index in range(len(self.buffers)):
            self.refill(index)
        self.workers = [context.Process(target=work, daemon=True, args=(i, program, tokenizer_path, seed, stride or n_workers, split, self.buffers, self.tasks, self.done)) for i in range(n_workers)]
        for worker in self.workers:
            worker.start()

    def refill(self, index):
        buffer = self.buffers[index]
        views = {"one": ("mixed",), "two": ("pair", "zoom"), "clip": ("pair",), "large": ("large",)}[buffer.kind]
        for n, first in enumerate(range(0, buffer.rows, CHUNK)):
            self.missing[index] += 1
            self.tasks[views[n % len(views)]].put((index, first))

    def take(self, kind):
        """Waits for a batch; give it back with refill(index) when the GPU has it."""
        while not self.ready[kind]:
            index = self.done.get()
            self.missing[index] -= 1
            if self.missing[index] == 0:
                self.ready[self.buffers[index].kind].append(index)
        return self.ready[kind].pop(0)

    def stop(self):
        for worker in self.workers:
            worker.terminate()
