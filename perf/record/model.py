"""A small GPT-like forward pass in eager fp16: the same kernels in every run."""
import math
import sys

import torch
import torch.nn.functional as F

LAYERS, WIDTH, HEADS, TOKENS, BATCH, WORDS = 4, 1024, 16, 512, 4, 8192
torch.manual_seed(0)


def weight(*shape):
    # Made on the host: the device sees copies only.
    return (torch.randn(*shape) * 0.02).half().cuda()


layers = [dict(ln1=weight(WIDTH), qkv=weight(3 * WIDTH, WIDTH), out=weight(WIDTH, WIDTH), ln2=weight(WIDTH),
               up=weight(4 * WIDTH, WIDTH), down=weight(WIDTH, 4 * WIDTH)) for _ in range(LAYERS)]
table = weight(WORDS, WIDTH)
words = torch.randint(0, WORDS, (BATCH, TOKENS)).cuda()


def heads(x):
    return x.view(BATCH, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)


@torch.no_grad()
def forward():
    x = F.embedding(words, table)
    for p in layers:
        h = F.layer_norm(x, (WIDTH,), p["ln1"])
        q, k, v = (heads(t) for t in F.linear(h, p["qkv"]).chunk(3, dim=-1))
        a = torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(WIDTH // HEADS), dim=-1)
        x = x + F.linear(torch.matmul(a, v).transpose(1, 2).reshape(BATCH, TOKENS, WIDTH), p["out"])
        h = F.layer_norm(x, (WIDTH,), p["ln2"])
        x = x + F.linear(F.gelu(F.linear(h, p["up"])), p["down"])
    return F.linear(x, table)


for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
    y = forward()
torch.cuda.synchronize()
print("model: done", tuple(y.shape), torch.__version__)
