"""Three more programs of the fault laboratory: they test the rules of `strobe compare` that were corrected with the runs of later.py."""
import torch
import torch.nn.functional as F

KIND = torch.bfloat16


class Layer(torch.nn.Module):
    """Transposed convolution and norm, for larger and larger pictures; or convolution, for smaller ones."""

    def __init__(self, inner, outer, grows):
        super().__init__()
        kind = torch.nn.ConvTranspose2d if grows else torch.nn.Conv2d
        self.conv, self.norm = kind(inner, outer, 4, 2, 1, bias=False), torch.nn.InstanceNorm2d(outer, affine=True)

    def forward(self, x):
        return F.leaky_relu(self.norm(self.conv(x)), 0.2)


class Chain(torch.nn.Module):
    def __init__(self, layers, fault):
        super().__init__()
        self.layers, self.fault = torch.nn.ModuleList(layers), fault

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            x = self.fault.through(number, layer, x)
        return x


def gan(fault):
    """Two networks that learn from each other, each with its own optimizer: nothing is read back, and the host runs ahead."""
    batch = fault.amount_of("batch", 64)
    layout = torch.contiguous_format if fault.name == "layout" else torch.channels_last
    paint = Chain([torch.nn.ConvTranspose2d(128, 512, 8), Layer(512, 256, True), Layer(256, 128, True), Layer(128, 64, True),
                   torch.nn.Conv2d(64, 3, 3, 1, 1), torch.nn.Tanh()], fault).cuda().to(memory_format=layout)
    judge = Chain([Layer(3, 64, False), Layer(64, 128, False), Layer(128, 256, False), Layer(256, 512, False),
                   torch.nn.Conv2d(512, 1, 4)], fault).cuda().to(memory_format=layout)
    optimizers = [torch.optim.Adam(model.parameters(), 2e-4, (0.5, 0.999), foreach=fault.name != "launches") for model in (paint, judge)]
    pictures = torch.randn(batch, 3, 64, 64)
    if fault.name != "pageable":
        pictures = pictures.pin_memory()

    def step(number):
        fault.input()
        real = pictures.cuda(non_blocking=True).contiguous(memory_format=layout)
        seeds = torch.randn(batch, 128, 1, 1, device="cuda")
        with torch.autocast("cuda", dtype=KIND, enabled=fault.name != "precision"):
            painted = paint(seeds)
            loss = F.softplus(-judge(real)).mean() + F.softplus(judge(painted.detach())).mean()
        loss.backward()
        optimizers[1].step()
        optimizers[1].zero_grad()
        fault.device()
        with torch.autocast("cuda", dtype=KIND, enabled=fault.name != "precision"):
            loss = F.softplus(-judge(painted)).mean()
        loss.backward()
        optimizers[0].step()
        for optimizer in optimizers:
            optimizer.zero_grad()
        fault.host()
    return step


def search(fault):
    """Finds texts: many queries are compared with all texts, the best are judged once more, and the host writes the answers down."""
    queries, texts, width = fault.amount_of("batch", 96), 400_000, 256
    kind = torch.float32 if fault.name == "precision" else KIND
    if fault.name == "kernels_attention":
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        torch.backends.cuda.enable_cudnn_sdp(False)
    table = torch.nn.Embedding(20_000, width).cuda().to(kind)
    layers = torch.nn.ModuleList(
        [torch.nn.TransformerEncoderLayer(width, 4, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(4)]).cuda().to(kind)
    better = torch.nn.Sequential(torch.nn.Linear(2 * width, 512), torch.nn.GELU(), torch.nn.Linear(512, 1)).cuda().to(kind)
    places = F.normalize(torch.randn(texts, width, device="cuda", dtype=kind), dim=-1)
    for part in (layers, better):
        part.train()  # the layers' fast path would hide their kernels
    words = torch.randint(0, 20_000, (queries, 64))
    if fault.name != "pageable":
        words = words.pin_memory()

    @torch.no_grad()
    def step(number):
        fault.input()
        x = table(words.cuda(non_blocking=True))
        for layer_number, layer in enumerate(layers):
            x = layer(x)
            fault.between(layer_number)
        wanted = F.normalize(x.mean(1), dim=-1)
        found = (wanted @ places.T).topk(50, -1).indices
        pairs = torch.cat([places[found], wanted[:, None].expand(-1, 50, -1)], -1)
        order = better(pairs)[..., 0].float().argsort(-1, descending=True)
        fault.more_launches()
        fault.device()
        best = found.gather(1, order).cpu()
        fault.answers = [{"query": query, "texts": row[:10]} for query, row in enumerate(best.tolist())]
        fault.host()
    return step


class Translator(torch.nn.Module):
    """From a text in one language to the next words in another one."""

    def __init__(self, width, layers, words, fault):
        super().__init__()
        self.fault = fault
        self.here, self.there = torch.nn.Embedding(words, width), torch.nn.Embedding(words, width)
        self.reads = torch.nn.ModuleList(
            [torch.nn.TransformerEncoderLayer(width, 12, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(layers)])
        self.writes = torch.nn.ModuleList(
            [torch.nn.TransformerDecoderLayer(width, 12, 4 * width, 0.0, "gelu", batch_first=True, norm_first=True) for _ in range(layers)])
        self.words = torch.nn.Linear(width, words)

    def forward(self, text, told):
        x, y = self.here(text), self.there(told)
        for number, layer in enumerate(self.reads):
            x = self.fault.through(number, layer, x)
        for number, layer in enumerate(self.writes):
            y = self.fault.through(len(self.reads) + number, lambda y, layer=layer: layer(y, x), y)
        return self.words(y)


def translate(fault):
    """Training with a fused optimizer; the device has much to do, and the host is far ahead of it."""
    batch, words = fault.amount_of("batch", 48), 16_000
    is_half = fault.name != "precision"
    if fault.name == "kernels_attention":
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
        torch.backends.cuda.enable_cudnn_sdp(False)
    model = Translator(768, 5, words, fault).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=fault.name != "launches", foreach=False if fault.name == "launches" else None)
    texts = torch.randint(0, words, (2, batch, 256))
    if fault.name != "pageable":
        texts = texts.pin_memory()

    def step(number):
        fault.input()
        text, told = texts.cuda(non_blocking=True)
        with torch.autocast("cuda", dtype=KIND, enabled=is_half):
            loss = F.cross_entropy(model(text, told).flatten(0, 1), told.flatten())
        loss.backward()
        fault.device()
        optimizer.step()
        optimizer.zero_grad()
        if number % 8 == 0:
            loss.item()  # for the log
        fault.host()
    return step


PROGRAMS = {"gan": gan, "search": search, "translate": translate}
