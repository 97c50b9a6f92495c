"""Four more programs of the fault laboratory, recorded after the rules of `strobe compare` were made, and unlike the seven in loops.py."""
import torch
import torch.nn.functional as F

HALF = torch.float16


class Pieces(torch.nn.Module):
    """A vision transformer of torch's own layers."""

    def __init__(self, width, layers, fault):
        super().__init__()
        self.fault = fault
        self.cut = torch.nn.Conv2d(3, width, 16, 16)
        self.places = torch.nn.Parameter(torch.randn(1, 196, width) * 0.02)
        self.layers = torch.nn.ModuleList(
            [torch.nn.TransformerEncoderLayer(width, 6, 4 * width, 0.1, "gelu", batch_first=True, norm_first=True) for _ in range(layers)])
        self.kinds = torch.nn.Linear(width, 1000)

    def forward(self, pictures):
        x = self.cut(pictures).flatten(2).transpose(1, 2) + self.places
        for number, layer in enumerate(self.layers):
            x = self.fault.through(number, layer, x)
        return self.kinds(x.mean(1))


def vit(fault):
    """Training with a gradient scaler, which waits for an answer of the device in each step."""
    batch, is_half = fault.amount_of("batch", 128), fault.name != "precision"
    if fault.name == "kernels_attention":
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        torch.backends.cuda.enable_cudnn_sdp(False)
    model = Pieces(384, 12, fault).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, foreach=fault.name != "launches")
    scaler = torch.amp.GradScaler("cuda", enabled=is_half)
    pictures = torch.randn(batch, 3, 224, 224).pin_memory()
    kinds = torch.randint(0, 1000, (batch,), device="cuda")

    def step(number):
        fault.input()
        x = pictures.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=HALF, enabled=is_half):
            loss = F.cross_entropy(model(x), kinds)
        scaler.scale(loss).backward()
        fault.device()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        fault.host()
    return step


def recommender(fault):
    """Tables and small layers: the numbers of many rows are copied to the device in each step, gradients are sparse."""
    batch, tables, width = fault.amount_of("batch", 8192), 16, 64
    rows = torch.nn.ModuleList([torch.nn.EmbeddingBag(100_000, width, mode="sum", sparse=True) for _ in range(tables)]).cuda()
    below = torch.nn.Sequential(torch.nn.Linear(13, 512), torch.nn.ReLU(), torch.nn.Linear(512, width)).cuda()
    above = torch.nn.Sequential(
        torch.nn.Linear(width * (tables + 1), 1024), torch.nn.ReLU(), torch.nn.Linear(1024, 512), torch.nn.ReLU(),
        torch.nn.Linear(512, 1)).cuda()
    optimizers = [torch.optim.SGD(rows.parameters(), 0.01, foreach=False),
                  torch.optim.Adagrad([*below.parameters(), *above.parameters()], 0.01, foreach=True)]
    numbers, facts = torch.randint(0, 100_000, (tables, batch, 20)), torch.randn(batch, 13)
    if fault.name != "pageable":
        numbers, facts = numbers.pin_memory(), facts.pin_memory()
    clicks = torch.randint(0, 2, (batch,), device="cuda").float()

    def step(number):
        fault.input()
        here = numbers.cuda(non_blocking=True)
        parts = [below(facts.cuda(non_blocking=True))]
        for table, row in enumerate(rows):
            parts.append(row(here[table]))
            fault.between(table)
        loss = F.binary_cross_entropy_with_logits(above(torch.cat(parts, 1))[:, 0], clicks)
        loss.backward()
        fault.more_launches()
        fault.device()
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        if number % 4 == 0:
            loss.item()  # for the log
        fault.host()
    return step


class Refine(torch.nn.Module):
    """A residual block of a U-Net."""

    def __init__(self, inner, outer):
        super().__init__()
        self.norm1, self.norm2 = torch.nn.GroupNorm(32, inner), torch.nn.GroupNorm(32, outer)
        self.conv1, self.conv2 = torch.nn.Conv2d(inner, outer, 3, 1, 1), torch.nn.Conv2d(outer, outer, 3, 1, 1)
        self.short = torch.nn.Identity() if inner == outer else torch.nn.Conv2d(inner, outer, 1)

    def forward(self, x):
        return self.conv2(F.silu(self.norm2(self.conv1(F.silu(self.norm1(x)))))) + self.short(x)


class Look(torch.nn.Module):
    """Attention over the places of a picture."""

    def __init__(self, width, by_hand):
        super().__init__()
        self.by_hand = by_hand
        self.norm, self.qkv, self.out = torch.nn.GroupNorm(32, width), torch.nn.Conv2d(width, 3 * width, 1), torch.nn.Conv2d(width, width, 1)

    def forward(self, x):
        q, k, v = (part.flatten(2).transpose(1, 2).contiguous() for part in self.qkv(self.norm(x)).chunk(3, 1))
        if self.by_hand:
            seen = torch.softmax((q @ k.transpose(1, 2)) * q.shape[-1] ** -0.5, -1) @ v
        else:
            seen = F.scaled_dot_product_attention(q[:, None], k[:, None], v[:, None])[:, 0]
        return x + self.out(seen.transpose(1, 2).reshape(x.shape))


def diffusion(fault):
    """Takes noise away from pictures with a U-Net; nothing is read back, so the host runs ahead as far as it may."""
    batch = fault.amount_of("batch", 8)
    kind = torch.float32 if fault.name == "precision" else HALF
    layout = torch.contiguous_format if fault.name == "layout" else torch.channels_last
    by_hand = fault.name == "kernels_attention"
    down = [torch.nn.Conv2d(4, 128, 3, 1, 1), Refine(128, 128), torch.nn.Conv2d(128, 256, 3, 2, 1), Refine(256, 256), Look(256, by_hand),
            torch.nn.Conv2d(256, 512, 3, 2, 1), Refine(512, 512), Look(512, by_hand)]
    up = [torch.nn.Upsample(scale_factor=2.0), Refine(512, 256), Look(256, by_hand), torch.nn.Upsample(scale_factor=2.0),
          Refine(256, 128), torch.nn.Conv2d(128, 4, 3, 1, 1)]
    layers = torch.nn.ModuleList([*down, *up]).cuda().to(kind).to(memory_format=layout)
    start = torch.randn(2 * batch, 4, 64, 64, device="cuda", dtype=kind).contiguous(memory_format=layout)
    latest = [start]

    @torch.no_grad()
    def step(number):
        fault.input()
        x = latest[0]
        for layer_number, layer in enumerate(layers):
            x = layer(x)
            fault.between(layer_number)
        fault.more_launches()
        with_text, without = x.chunk(2)
        noise = without + 3.0 * (with_text - without)
        latest[0] = start if number % 50 == 0 else (latest[0] - 0.02 * torch.cat([noise, noise])).clamp(-4, 4)
        fault.device()
        fault.host()
    return step


class Experts(torch.nn.Module):
    """Each word goes to the two experts that fit it best: how many words an expert gets is known on the device first."""

    def __init__(self, width, count):
        super().__init__()
        self.norm, self.choose = torch.nn.LayerNorm(width), torch.nn.Linear(width, count)
        self.experts = torch.nn.ModuleList(
            [torch.nn.Sequential(torch.nn.Linear(width, 4 * width), torch.nn.GELU(), torch.nn.Linear(4 * width, width)) for _ in range(count)])

    def forward(self, x):
        y = self.norm(x)
        weights, chosen = torch.softmax(self.choose(y).float(), -1).topk(2, -1)
        total = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            words, place = (chosen == number).nonzero(as_tuple=True)
            total = total.index_add(0, words, expert(y[words]) * weights[words, place, None].to(x.dtype))
        return x + total


def experts(fault):
    """Training of layers of experts: the shapes are different in every cycle, and the host waits for them."""
    batch, width = fault.amount_of("batch", 8192), 512
    kind = torch.float32 if fault.name == "precision" else torch.bfloat16
    table = torch.nn.Embedding(8192, width).cuda().to(kind)
    layers = torch.nn.ModuleList([Experts(width, 8) for _ in range(4)]).cuda().to(kind)
    optimizer = torch.optim.AdamW([*table.parameters(), *layers.parameters()], 1e-4, foreach=fault.name != "launches")
    texts = torch.randint(0, 8192, (16, batch)).pin_memory()

    def step(number):
        fault.input()
        x = table(texts[number % 16].cuda(non_blocking=True))
        for layer_number, layer in enumerate(layers):
            x = layer(x)
            fault.between(layer_number)
        x.float().square().mean().backward()
        fault.device()
        optimizer.step()
        optimizer.zero_grad()
        fault.host()
    return step


PROGRAMS = {"vit": vit, "recommender": recommender, "diffusion": diffusion, "experts": experts}
