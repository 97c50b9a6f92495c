"""Seven programs of the fault laboratory. Each is a function that takes the Fault of the run and gives the work of a cycle."""
import ctypes
import gc
import os
import queue
import tempfile
import threading
import time

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

KIND = torch.bfloat16
PIECE = 64_000_000  # bytes of a copy at once
PERIOD_S = 0.010  # of a thread that computes in a share of the time


def compute(share, stop):
    """In pure Python, which keeps Python's lock from other threads."""
    while not stop.is_set():
        began = time.perf_counter()
        while time.perf_counter() < began + share * PERIOD_S:
            sum(one * one for one in range(100))
        if share < 1:
            time.sleep(max(0, began + PERIOD_S - time.perf_counter()))


class Fault:
    """What is wrong in this run. A program asks for `amount_of` what it is built with, and calls `input`, `between`,
    `through`, `device` and `host` where something may be added to a cycle."""

    def __init__(self, name, amount):
        self.thread = None
        self.set(name, amount)

    def set(self, name, amount):
        self.heap = self.file = None
        self.stop_thread()
        torch.autograd.set_detect_anomaly(name == "anomaly")
        if name == "gil":
            self.stop = threading.Event()
            self.thread = threading.Thread(target=compute, args=(amount, self.stop), daemon=True)
            self.thread.start()
        if name == "log":
            self.file = tempfile.TemporaryFile()
        if name == "gc":
            gc.freeze()  # the collector sees this heap, not the one that importing torch has left
            self.heap = [[] for _ in range(int(amount))]
        if name == "slow_input":
            self.page = torch.ones(50_000)
        if name == "copies":
            self.there = torch.zeros(PIECE, dtype=torch.uint8, device="cuda")
            self.here = torch.zeros(PIECE, dtype=torch.uint8).pin_memory()
        if name == "launches":
            self.small = torch.zeros(1000, device="cuda")
        if name == "churn":
            with open("/proc/self/maps") as maps:  # the library that torch has loaded, not another one
                self.cudart = ctypes.CDLL(next(line.split()[-1] for line in maps if "libcudart" in line))
        self.name, self.amount = name, amount  # last: the thread of `input` looks at them

    def stop_thread(self):
        if self.thread is not None:
            self.stop.set()
            self.thread.join()
            self.thread = None

    def amount_of(self, name, otherwise=0):
        return int(self.amount) if self.name == name else otherwise

    def input(self):
        if self.name == "slow_input":
            until = time.perf_counter() + self.amount / 1e3
            while time.perf_counter() < until:
                self.page.mul_(1.0)  # lets other threads have Python's lock, as real preprocessing does

    def between(self, layer):
        if self.name == "sync" and layer < self.amount:
            torch.cuda.synchronize()

    def through(self, number, layer, x):
        """What a layer makes of x; with `recompute` it keeps nothing, and the backward pass computes it once more."""
        x = checkpoint(layer, x, use_reentrant=False) if self.name == "recompute" else layer(x)
        self.between(number)
        return x

    def device(self):
        if self.name == "copies":
            left = int(self.amount * 1e6)
            while left > 0:
                size = min(left, PIECE)
                self.here[:size].copy_(self.there[:size], non_blocking=True)
                left -= size
        if self.name == "churn":
            place = ctypes.c_void_p()
            for _ in range(int(self.amount)):
                assert self.cudart.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(8 << 20)) == 0
                assert self.cudart.cudaFree(place) == 0

    def more_launches(self):
        for _ in range(self.amount_of("launches")):
            self.small.mul_(1.0)

    def host(self):
        if self.name == "sleep":
            time.sleep(self.amount / 1e3)
        if self.name == "gc":
            gc.collect()
        if self.name == "empty_cache":
            torch.cuda.empty_cache()
        for line in range(self.amount_of("log")):
            self.file.write(f"line {line} of this cycle\n".encode())
            self.file.flush()
            os.fsync(self.file.fileno())


def attention(q, k, v, by_hand):
    if by_hand:
        return torch.softmax((q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5, -1) @ v
    return F.scaled_dot_product_attention(q, k, v)


def heads_of(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


class Block(torch.nn.Module):
    """One layer of a transformer."""

    def __init__(self, width, heads, by_hand):
        super().__init__()
        self.heads, self.by_hand = heads, by_hand
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        self.qkv, self.out = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.up, self.down = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
        seen = attention(heads_of(q, self.heads), heads_of(k, self.heads), heads_of(v, self.heads), self.by_hand)
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Language(torch.nn.Module):
    """A small language model: the loss of a text."""

    def __init__(self, width, heads, layers, words, by_hand=False, fault=None):
        super().__init__()
        self.fault = fault
        self.table = torch.nn.Embedding(words, width)
        self.blocks = torch.nn.ModuleList([Block(width, heads, by_hand) for _ in range(layers)])
        self.words = torch.nn.Linear(width, words)

    def forward(self, text):
        x = self.table(text[:, :-1])
        for number, block in enumerate(self.blocks):
            x = block(x) if self.fault is None else self.fault.through(number, block, x)
        return F.cross_entropy(self.words(x).flatten(0, 1).float(), text[:, 1:].flatten())


class Residual(torch.nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.conv2 = torch.nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = torch.nn.BatchNorm2d(outer), torch.nn.BatchNorm2d(outer)
        self.short = torch.nn.Identity() if inner == outer else torch.nn.Conv2d(inner, outer, 1, stride, bias=False)

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.short(x))


class Pictures(torch.nn.Module):
    """A residual network of the size of ResNet-18."""

    def __init__(self, after_layer):
        super().__init__()
        self.after_layer = after_layer
        self.stem, self.norm = torch.nn.Conv2d(3, 64, 7, 2, 3, bias=False), torch.nn.BatchNorm2d(64)
        widths = [64, 64, 64, 128, 128, 256, 256, 512, 512]
        self.blocks = torch.nn.ModuleList(
            [Residual(inner, outer, 1 if inner == outer else 2) for inner, outer in zip(widths, widths[1:])])
        self.kinds = torch.nn.Linear(512, 1000)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.stem(x))), 3, 2, 1)
        for number, block in enumerate(self.blocks):
            x = block(x)
            self.after_layer(number)
        return self.kinds(x.mean((2, 3)))


def convnet(fault):
    """Training in mixed precision, channels last: the device sets the pace, the host runs ahead of it."""
    batch = fault.amount_of("batch", 96)
    layout = torch.contiguous_format if fault.name == "layout" else torch.channels_last
    model = Pictures(fault.between).cuda().to(memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9, foreach=fault.name != "launches")
    pictures = torch.randn(batch, 3, 224, 224)
    if fault.name != "pageable":
        pictures = pictures.pin_memory()
    kinds = torch.randint(0, 1000, (batch,), device="cuda")

    def step(number):
        torch.cuda.nvtx.range_push("load batch")
        fault.input()
        x = pictures.cuda(non_blocking=True).contiguous(memory_format=layout)
        torch.cuda.nvtx.range_pop()
        with torch.autocast("cuda", dtype=KIND, enabled=fault.name != "precision"):
            loss = F.cross_entropy(model(x), kinds)
        loss.backward()
        fault.device()
        optimizer.step()
        optimizer.zero_grad()
        fault.host()
    return step


def training(fault, loss_of, optimizers, texts):
    """The step of a program that learns from texts and waits for the loss."""
    def step(number):
        fault.input()
        loss = loss_of(texts.cuda(non_blocking=True))
        loss.backward()
        fault.device()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        loss.item()
        fault.host()
    return step


def transformer(fault):
    """Eager training of a model with many small layers: the host sets the pace."""
    model = Language(256, 4, 12, 1000, fault.name == "kernels_attention", fault).cuda().to(KIND)
    weights = list(model.parameters())
    alone = fault.amount_of("launches")
    optimizers = [torch.optim.AdamW(weights[alone:], foreach=True)]
    if alone:
        optimizers.append(torch.optim.AdamW(weights[:alone], foreach=False))
    texts = torch.randint(0, 1000, (8, 129)).pin_memory()
    return training(fault, model, optimizers, texts)


def compiled(fault):
    """The same kind of training with torch.compile, and larger layers."""
    model = Language(512, 8, 4, 8192).cuda().to(KIND)
    loss_of = model if fault.name == "launches" else torch.compile(model)
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    texts = torch.randint(0, 8192, (48, 513)).pin_memory()
    return training(fault, loss_of, [optimizer], texts)


class Cached(Block):
    """A layer that sees one new word and remembers the others."""

    def __init__(self, width, heads, by_hand, context):
        super().__init__(width, heads, by_hand)
        for name in ("keys", "values"):
            self.register_buffer(name, torch.zeros(1, heads, context, width // heads))

    def forward(self, x, place):
        q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
        self.keys.index_copy_(2, place, heads_of(k, self.heads))
        self.values.index_copy_(2, place, heads_of(v, self.heads))
        seen = attention(heads_of(q, self.heads), self.keys, self.values, self.by_hand)
        x = x + self.out(seen.transpose(1, 2).reshape(x.shape))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


def decode(fault):
    """One word at a time, the next one drawn on the host: about 120 launches a step."""
    width, words, context = 512, 8192, 256
    layers = torch.nn.ModuleList([Cached(width, 8, fault.name == "kernels_attention", context) for _ in range(9)]).cuda().to(KIND)
    table = torch.randn(words, width, device="cuda", dtype=KIND) * 0.02
    place, word = torch.zeros(1, dtype=torch.long, device="cuda"), torch.zeros(1, 1, dtype=torch.long, device="cuda")
    text = [0]

    @torch.no_grad()
    def step(number):
        place.fill_(number % context)
        word.fill_(text[-1])
        x = F.embedding(word, table)
        for layer_number, layer in enumerate(layers):
            x = layer(x, place)
            fault.between(layer_number)
        fault.more_launches()
        fault.device()
        chances = torch.softmax((x[0] @ table.t()).float(), -1).cpu()
        text.append(int(torch.multinomial(chances[0], 1)))
        " ".join(str(one) for one in text[-300:]).split()
        fault.host()
    return step


def prefill(fault):
    """Long texts through large layers: the device sets the pace, the host waits for each answer."""
    width, length = 2048, fault.amount_of("batch", 2048)
    kind = torch.float32 if fault.name == "precision" else KIND
    torch.set_float32_matmul_precision("high")
    blocks = torch.nn.ModuleList([Block(width, 16, fault.name == "kernels_attention") for _ in range(8)]).cuda().to(kind)
    texts = torch.randn(4, length, width).to(kind)
    if fault.name != "pageable":
        texts = texts.pin_memory()

    @torch.no_grad()
    def step(number):
        fault.input()
        x = texts.cuda(non_blocking=True)
        for block_number, block in enumerate(blocks):
            x = block(x)
            fault.between(block_number)
        fault.more_launches()
        fault.device()
        x[:, -1].float().cpu()
        fault.host()
    return step


def graph(fault):
    """Replays a CUDA graph of about 300 kernels; a little work on the host before and after it."""
    blocks = torch.nn.ModuleList([Block(1024, 16, fault.name == "kernels_attention") for _ in range(24)]).cuda().to(KIND)
    place = torch.zeros(1, 256, 1024, device="cuda", dtype=KIND)
    text = torch.randn(1, 256, 1024).to(KIND).pin_memory()

    @torch.no_grad()
    def forward():
        x = place
        for block in blocks:
            x = block(x)
        return x

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            forward()
    torch.cuda.current_stream().wait_stream(side)
    captured = torch.cuda.CUDAGraph()
    with torch.cuda.graph(captured):
        answer = forward()

    def step(number):
        fault.input()
        " ".join(sorted(str(one * 7919 % 1000) for one in range(1500)))
        place.copy_(text, non_blocking=True)
        if fault.name == "launches":
            result = forward()
        else:
            captured.replay()
            result = answer
        fault.device()
        result[0, -1].float().cpu()
        fault.host()
    return step


def input_bound(fault):
    """A thread prepares pictures with one core, and the small model waits for it."""
    batch = fault.amount_of("batch", 64)
    pictures = torch.randint(0, 256, (512, 3, 128, 128), dtype=torch.uint8)
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 3, 2, 1), torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(64, 10)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    kinds = torch.randint(0, 10, (batch,), device="cuda")
    ready, stop = queue.Queue(2), threading.Event()

    def load():
        while not stop.is_set():
            torch.cuda.nvtx.range_push("prepare pictures")
            x = pictures[torch.randint(0, len(pictures), (batch,))].float().div_(255).sub_(0.45).div_(0.22)
            x = torch.where(torch.rand(batch, 1, 1, 1) < 0.5, x.flip(3), x)
            fault.input()
            x = x.pin_memory()
            torch.cuda.nvtx.range_pop()
            ready.put(x)

    loader = threading.Thread(target=load, daemon=True)
    loader.start()

    def close():
        stop.set()
        while loader.is_alive():
            try:
                ready.get(timeout=0.1)
            except queue.Empty:
                pass

    def step(number):
        torch.cuda.nvtx.range_push("next batch")
        x = ready.get(timeout=30)
        torch.cuda.nvtx.range_pop()
        loss = F.cross_entropy(model(x.cuda(non_blocking=True)), kinds)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()
        fault.host()
    step.close = close
    return step


PROGRAMS = {"convnet": convnet, "transformer": transformer, "compiled": compiled, "decode": decode, "prefill": prefill,
            "graph": graph, "input": input_bound}
