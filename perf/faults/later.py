"""Three more programs of the fault laboratory, unlike the others: their first runs tested the rules of `strobe compare`."""
import numpy
import torch
import torch.nn.functional as F


class Sounds(torch.nn.Module):
    """A residual block over time."""

    def __init__(self, width):
        super().__init__()
        self.norm, self.conv = torch.nn.GroupNorm(8, width), torch.nn.Conv1d(width, width, 5, 1, 2)

    def forward(self, x):
        return x + F.gelu(self.conv(self.norm(x)))


class Listen(torch.nn.Module):
    """From (text, width, time) to (text, time, width), forwards and backwards in time."""

    def __init__(self, width):
        super().__init__()
        self.lstm = torch.nn.LSTM(width, width // 2, 2, batch_first=True, bidirectional=True)

    def forward(self, x):
        return self.lstm(x.transpose(1, 2))[0]


class Speech(torch.nn.Module):
    """From (text, tone, time) to how likely each letter is at each time."""

    def __init__(self, tones, width, blocks, letters, fault):
        super().__init__()
        self.fault = fault
        self.layers = torch.nn.ModuleList(
            [torch.nn.Conv1d(tones, width, 5, 2, 2), *[Sounds(width) for _ in range(blocks)], torch.nn.Conv1d(width, width, 5, 2, 2), Listen(width)])
        self.letters = torch.nn.Linear(width, letters)

    def forward(self, x):
        for number, layer in enumerate(self.layers):
            x = self.fault.through(number, layer, x)
        return F.log_softmax(self.letters(x), -1)


def speech(fault):
    """Training of convolutions over time and a recurrent network, which launches many small kernels from one call."""
    texts, times, letters = 64, fault.amount_of("batch", 480), 32
    torch.backends.cudnn.allow_tf32 = fault.name != "precision"
    model = Speech(80, 512, 6, letters, fault).cuda()
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, foreach=fault.name != "launches")
    sounds = torch.randn(texts, 80, times)
    if fault.name != "pageable":
        sounds = sounds.pin_memory()
    said = torch.randint(1, letters, (texts, 40), device="cuda")

    def step(number):
        fault.input()
        chances = model(sounds.cuda(non_blocking=True)).transpose(0, 1)
        loss = F.ctc_loss(chances, said, (len(chances),) * texts, (said.shape[1],) * texts, zero_infinity=True)
        loss.backward()
        fault.device()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        fault.host()
    return step


class Messages(torch.nn.Module):
    """Each node gets the sum of what its neighbours say along the edges."""

    def __init__(self, width, start, end):
        super().__init__()
        self.start, self.end = start, end
        self.norm, self.say, self.hear = torch.nn.LayerNorm(width), torch.nn.Linear(width, width), torch.nn.Linear(2 * width, width)

    def forward(self, x):
        y = self.norm(x)
        said = F.relu(self.say(y.index_select(0, self.start)))
        heard = torch.zeros_like(y).index_add_(0, self.end, said)
        return x + F.relu(self.hear(torch.cat([y, heard], 1)))


def graphnet(fault):
    """Training on a graph that stays the same: numbers are gathered and added up at places all over the memory."""
    nodes, edges, width = 40_000, fault.amount_of("batch", 400_000), 128
    torch.set_float32_matmul_precision("highest" if fault.name == "precision" else "high")
    start, end = torch.randint(0, nodes, (2, edges), device="cuda")
    first, last = torch.nn.Linear(64, width).cuda(), torch.nn.Linear(width, 50).cuda()
    layers = torch.nn.ModuleList([Messages(width, start, end) for _ in range(6)]).cuda()
    optimizer = torch.optim.AdamW([*first.parameters(), *layers.parameters(), *last.parameters()], 1e-4, foreach=True)
    facts = torch.randn(nodes, 64)
    if fault.name != "pageable":
        facts = facts.pin_memory()
    kinds = torch.randint(0, 50, (nodes,), device="cuda")

    def step(number):
        fault.input()
        x = first(facts.cuda(non_blocking=True))
        for layer_number, layer in enumerate(layers):
            x = fault.through(layer_number, layer, x)
        loss = F.cross_entropy(last(x), kinds)
        loss.backward()
        fault.more_launches()
        fault.device()
        optimizer.step()
        optimizer.zero_grad()
        loss.item()  # for the log
        fault.host()
    return step


class Poles:
    """Many poles on carts, which are pushed to the left or to the right. One that falls starts again."""

    def __init__(self, count, state):
        self.state = state  # place, speed, angle and its speed of each
        self.chance = numpy.random.default_rng(1)
        self.state[:] = self.start(count)

    def start(self, count):
        return self.chance.uniform(-0.05, 0.05, (count, 4)).astype(numpy.float32)

    def push(self, to_right):
        """The reward of each."""
        force = numpy.where(to_right, 10.0, -10.0).astype(numpy.float32)
        for _ in range(16):
            place, speed, angle, turn = self.state.T
            sine, cosine = numpy.sin(angle), numpy.cos(angle)
            pull = (force + 0.05 * turn * turn * sine) / 1.1
            faster = (9.8 * sine - cosine * pull) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
            change = numpy.stack([speed, pull - 0.05 * faster * cosine / 1.1, turn, faster], 1)
            self.state += 0.00125 * change
        fell = (numpy.abs(self.state[:, 0]) > 2.4) | (numpy.abs(self.state[:, 2]) > 0.21)
        self.state[:] = numpy.where(fell[:, None], self.start(len(fell)), self.state)
        return 1 - 2 * fell.astype(numpy.float32)


def policy(fault):
    """Learns to hold poles: the host computes them, the device says where to push, and each waits for the other."""
    count, width = 2048, 256
    model = torch.nn.Sequential(
        torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, 2)).cuda()
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, foreach=True)
    state = torch.zeros(count, 4).pin_memory()
    poles = Poles(count, state.numpy())

    def step(number):
        fault.input()
        x = state.cuda(non_blocking=True)
        with torch.no_grad():
            chosen = torch.multinomial(torch.softmax(model(x), -1), 1)
        rewards = torch.from_numpy(poles.push(chosen[:, 0].cpu().numpy() == 1)).cuda()
        chances = torch.log_softmax(model(x), -1).gather(1, chosen)[:, 0]
        loss = -(chances * (rewards - rewards.mean())).mean()
        loss.backward()
        fault.more_launches()
        fault.device()
        optimizer.step()
        optimizer.zero_grad()
        fault.host()
    return step


PROGRAMS = {"speech": speech, "graphnet": graphnet, "policy": policy}
