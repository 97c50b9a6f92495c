"""Tables of operations of pipeline jobs that never ran: schedules as Megatron's, with random times."""
import random
from dataclasses import dataclass


@dataclass
class Shape:
    data_parallel: int = 1
    stages: int = 2
    chunks: int = 1  # of the model in a stage
    micro_batches: int = 4
    steps: int = 2
    overlaps: bool = False  # gradients are reduced while passes run: there are separate all-reduces
    with_gc: bool = True
    with_layernorm: bool = True
    embedding: str = "ends"  # which stages reduce embeddings: none, ends, first, last, all
    with_gathers: bool = True
    idle_transfers: str = "none"  # records that move nothing: none, all, all but the first, shifted
    early: float = 0.0  # this share of records begins up to 20 ms too early
    equal_ranks: bool = False  # data-parallel ranks do not differ


def passes_of(shape, stage):
    """(direction, chunk, micro-batch) in the order of the interleaved one-forward-one-backward schedule."""
    stages, chunks, batches = shape.stages, shape.chunks, shape.micro_batches
    total = batches * chunks

    def place(k, direction):
        round_, within = divmod(k, stages * chunks)
        chunk = within // stages
        return direction, chunk if direction == "forward" else chunks - 1 - chunk, round_ * stages + within % stages

    if chunks == 1:
        forward = [("forward", 0, k) for k in range(total)]
        backward = [("backward", 0, k) for k in range(total)]
        warm_up = min(total, stages - stage - 1)
    else:
        forward, backward = ([place(k, direction) for k in range(total)] for direction in ("forward", "backward"))
        warm_up = min(total, (stages - stage - 1) * 2 + (chunks - 1) * stages)
    order = forward[:warm_up]
    for k in range(total - warm_up):
        order += [forward[warm_up + k], backward[k]]
    return order + backward[total - warm_up:]


def times_of_passes(shape, dice, slow):
    """{(direction, stage, chunk, micro-batch): (start, end)}, and when its input had come."""
    orders = [passes_of(shape, stage) for stage in range(shape.stages)]
    last = shape.stages * shape.chunks - 1
    done, arrived, at = {}, {}, [0] * shape.stages
    free = [0.02 + dice.random() * 1e-3 for _ in orders]
    while any(at[stage] < len(orders[stage]) for stage in range(shape.stages)):
        moved = False
        for stage, order in enumerate(orders):
            while at[stage] < len(order):
                direction, chunk, batch = order[at[stage]]
                number = chunk * shape.stages + stage
                source = number - 1 if direction == "forward" else number + 1
                if 0 <= source <= last:
                    needed = (direction, source % shape.stages, source // shape.stages, batch)
                else:
                    needed = None if direction == "forward" else ("forward", stage, chunk, batch)
                if needed is not None and needed not in done:
                    break
                ready = 0.0 if needed is None else done[needed][1] + (1e-3 * (1 + dice.random()) if 0 <= source <= last else 0)
                arrived[direction, stage, chunk, batch] = ready
                start = max(free[stage], ready) + 1e-4 * dice.random()
                free[stage] = start + slow(stage) * (5e-3 if direction == "forward" else 9e-3) * (0.8 + 0.4 * dice.random())
                done[direction, stage, chunk, batch] = start, free[stage]
                at[stage] += 1
                moved = True
        assert moved, "the schedule waits for itself"
    return orders, done, arrived


def transfers_of(shape, stage, order, done, arrived):
    """(kind, start, end) of every send and receive of a stage."""
    last = shape.stages * shape.chunks - 1
    found = []
    for direction in ("forward", "backward"):
        passes = [(chunk, batch) for one, chunk, batch in order if one == direction]
        before = 0.0
        idle = {"recv": 0, "send": 0}
        for k, (chunk, batch) in enumerate(passes):
            start, end = done[direction, stage, chunk, batch]
            number = chunk * shape.stages + stage
            came_from = number - 1 if direction == "forward" else number + 1
            goes_to = number + 1 if direction == "forward" else number - 1
            real_in, real_out = 0 <= came_from <= last, 0 <= goes_to <= last
            if real_in:
                found.append((f"{direction}-recv", before + 1e-6 * k, max(before + 1e-5, arrived[direction, stage, chunk, batch])))
            elif shape.idle_transfers != "none" and not (shape.idle_transfers != "all" and k == 0):
                found.append((f"{direction}-recv", before + 1e-6 * k, before + 2e-6 * k + 1e-6))
            if real_out:
                found.append((f"{direction}-send", end + 1e-6, end + 1.2e-3))
            elif shape.idle_transfers != "none":
                found.append((f"{direction}-send", end + 1e-6, end + 3e-6))
            before = max(before, end)
        if shape.idle_transfers == "shifted":  # after the last pass has begun, and before the first has ended
            found.append((f"{direction}-recv", done[direction, stage, *passes[-1]][0] + 2e-4, done[direction, stage, *passes[-1]][0] + 3e-4))
            first_start, first_end = done[direction, stage, *passes[0]]
            found.append((f"{direction}-send", first_start - 1e-4, min(first_start, first_end - 1e-4)))
    return found


def table_of(shape, seed):
    dice = random.Random(seed)
    weights = [dice.uniform(0.9, 1.3) for _ in range(shape.stages)]
    rows = []
    first_step = dice.randrange(50)
    for step in sorted(dice.sample(range(first_step, first_step + 90), shape.steps)):
        alike = dice.random()
        origin = dice.choice([0.0, 17.25])
        for data_rank in range(shape.data_parallel):
            own = random.Random(alike) if shape.equal_ranks else dice
            rank_weight = 1.0 if shape.equal_ranks else own.uniform(0.95, 1.1)
            orders, done, arrived = times_of_passes(shape, own, lambda stage: weights[stage] * rank_weight)
            for stage, order in enumerate(orders):
                rows += rows_of_stage(shape, (data_rank, stage, step), order, done, arrived, own, origin)
    first = min(row["step"] for row in rows)
    for row in rows:
        is_pattern = row["step"] == first and row["dp_rank"] == 0  # its order is that of all
        if not is_pattern and not shape.equal_ranks and dice.random() < shape.early:
            row["start_ts"] -= dice.random() * 20e-3
    dice.shuffle(rows)
    return rows


def rows_of_stage(shape, place, order, done, arrived, dice, origin):
    data_rank, stage, step = place
    rows, numbers = [], {}

    def add(kind, start, end, chunk=-1, number=-1):
        count = numbers[kind] = numbers.get(kind, -1) + 1
        rows.append({"dp_rank": data_rank, "stage": stage, "rank": stage * shape.data_parallel + data_rank, "step": step,
                     "optype": kind, "start_ts": origin + start, "duration": end - start, "seq_id": count, "mc": chunk,
                     "mb_id": -1, "gmc": number})

    for direction, chunk, batch in order:
        add(f"{direction}-compute", *done[direction, stage, chunk, batch], chunk, chunk * shape.stages + stage)
    for kind, start, end in sorted(transfers_of(shape, stage, order, done, arrived), key=lambda row: row[1]):
        add(kind, start, end)
    now = done[order[-1][0], stage, order[-1][1], order[-1][2]][1]

    def tail(kind, least, most, chunk=-1):
        nonlocal now
        now += dice.random() * 2e-4
        begin, now = now, now + dice.uniform(least, most)
        add(kind, begin, now, chunk)

    if shape.with_gathers:
        for chunk in range(shape.chunks):
            begin = chunk * 2e-3 + dice.random() * 1e-3
            add("params-all-gather", begin, begin + dice.uniform(1e-3, 4e-3), chunk)
        if shape.overlaps:
            for chunk in reversed(range(shape.chunks)):
                begin = max(done[one, stage, c, b][1] for one, c, b in order if one == "backward" and c == chunk)
                add("grads-reduce-scatter", begin + 1e-4 * (shape.chunks - chunk), begin + dice.uniform(2e-3, 5e-3), chunk)
    if shape.with_gc:
        tail("gc", 1e-4, 1e-3)
    if shape.with_layernorm:
        tail("layernorm-grads-all-reduce", 1e-4, 1e-3)
    has_embedding = {"none": False, "all": True, "first": stage == 0, "last": stage == shape.stages - 1,
                     "ends": stage in (0, shape.stages - 1)}[shape.embedding]
    if has_embedding:
        tail("embedding-grads-all-reduce", 1e-3, 3e-3)
    if shape.with_gathers and not shape.overlaps:
        for chunk in range(shape.chunks):
            tail("grads-reduce-scatter", 2e-3, 5e-3, chunk)
    if shape.overlaps:
        tail("separate-grads-all-reduce", 1e-3, 2e-3)
    tail("optimizer-clip-main-grad", 1e-3, 3e-3)
    tail("optimizer", 2e-3, 4e-3)
    return rows


def random_shape(seed):
    dice = random.Random(seed)
    stages = dice.choice([1, 2, 2, 3, 4, 4, 5, 8])
    chunks = 1 if stages == 1 else dice.choice([1, 1, 2, 3])
    return Shape(data_parallel=dice.choice([1, 1, 2, 3, 5]), stages=stages, chunks=chunks,
                 micro_batches=stages * dice.randint(1, 3) if chunks > 1 else dice.randint(1, 12),
                 steps=dice.randint(1, 3), overlaps=dice.random() < 0.5, with_gc=dice.random() < 0.7,
                 with_layernorm=dice.random() < 0.7, with_gathers=dice.random() < 0.9,
                 embedding=dice.choice(["none", "ends", "ends", "first", "last", "all"]),
                 idle_transfers=dice.choice(["none", "none", "all", "all but the first", "shifted"]),
                 early=dice.choice([0, 0, 0.1, 0.5]), equal_ranks=dice.random() < 0.2)
