"""The replay of docs/fleet.md as a plain program: every rank of every step one after the other, dictionaries for
everything. It shares nothing with strobe, so that both can be compared."""
import statistics
from collections import defaultdict

COMPUTES = {"forward-compute", "backward-compute", "gc", "optimizer"}
KINDS = {"forward-send": "forward-pp-comm", "forward-recv": "forward-pp-comm",
         "backward-send": "backward-pp-comm", "backward-recv": "backward-pp-comm"}
SLACK = 50e-6


class Graph:
    """What each operation (kind, number, stage) follows, and with whom it ends. Made of one rank in one step."""

    def __init__(self, rows, data_parallel):
        self.rows = sorted(rows, key=lambda row: row["start"])
        self.stages = 1 + max(row["stage"] for row in rows)
        self.model_chunks = self.stages * (1 + max(row["mc"] for row in rows if row["optype"].endswith("-compute")))
        self.data_parallel = data_parallel
        self.overlaps = data_parallel and any(row["optype"] == "separate-grads-all-reduce" for row in rows)
        self.before = {row["name"]: set() for row in rows}
        self.members = {row["name"]: [row["name"]] for row in rows}  # in one data-parallel rank
        self.across = set()  # groups that reach over all data-parallel ranks
        self.grouped = set()
        for stage in range(self.stages):
            self.add_computes(stage)
            self.add_tail(stage)
        real = {kind: [self.real_transfers(stage, kind) for stage in range(self.stages)] for kind in KINDS}
        for kind, of_stages in real.items():
            for stage, transfers in enumerate(of_stages):
                self.add_stream(stage, kind, transfers)
        for stage in range(self.stages):
            self.add_pairs(real["forward-send"][stage], real["forward-recv"][(stage + 1) % self.stages])
            self.add_pairs(real["backward-send"][stage], real["backward-recv"][(stage - 1) % self.stages])
        self.add_groups()

    def of(self, stage, *kinds):
        return [row for row in self.rows if row["stage"] == stage and row["optype"] in kinds]

    def chain(self, rows):
        for one, other in zip(rows, rows[1:]):
            self.before[other["name"]].add(one["name"])

    def add_computes(self, stage):
        self.chain(self.of(stage, "forward-compute", "backward-compute"))
        if not self.data_parallel:
            return
        self.chain(self.of(stage, "params-all-gather", "grads-reduce-scatter"))
        for chunk in {row["mc"] for row in self.of(stage, "forward-compute", "backward-compute")}:
            gathers, first_use, last_use, scatters = (
                [row for row in self.of(stage, kind) if row["mc"] == chunk]
                for kind in ("params-all-gather", "forward-compute", "backward-compute", "grads-reduce-scatter"))
            if gathers and first_use:
                self.before[first_use[0]["name"]].add(gathers[-1]["name"])
            if self.overlaps and last_use and scatters:
                self.before[scatters[0]["name"]].add(last_use[-1]["name"])

    def add_tail(self, stage):
        tail = self.of(stage, "forward-compute", "backward-compute")[-1:] + self.of(stage, "gc")
        end = self.of(stage, "layernorm-grads-all-reduce")
        if stage in (0, self.stages - 1):
            end += self.of(stage, "embedding-grads-all-reduce")
        if self.overlaps:
            end += self.of(stage, "separate-grads-all-reduce")
        elif self.data_parallel:
            end += self.of(stage, "grads-reduce-scatter")
        end += self.of(stage, "optimizer-clip-main-grad") + self.of(stage, "optimizer")
        self.chain(tail + end)
        if self.overlaps and end:
            for scatter in self.of(stage, "grads-reduce-scatter")[-1:]:
                self.before[end[0]["name"]].add(scatter["name"])

    def real_transfers(self, stage, kind):
        """The transfers that move something, each with the pass to which it belongs."""
        direction, end = kind.split("-")
        passes = self.of(stage, direction + "-compute")
        if not passes:
            return []
        valid = [row for row in self.of(stage, kind)
                 if (row["start"] <= passes[-1]["start"] + SLACK if end == "recv" else row["end"] >= passes[0]["end"] - SLACK)]
        if end == "recv" and stage in (0, self.stages - 1) and len(valid) == len(passes) - 1:
            passes = passes[1:]
        up = 1 if (direction == "forward") == (end == "send") else -1
        return [(row, one) for row, one in zip(valid, passes) if 0 <= one["gmc"] + up < self.model_chunks]

    def add_stream(self, stage, kind, transfers):
        direction, end = kind.split("-")
        passes = self.of(stage, direction + "-compute")
        self.chain([row for row, _ in transfers])
        for row, one in transfers:
            if end == "send":
                self.before[row["name"]].add(one["name"])
                continue
            self.before[one["name"]].add(row["name"])
            if passes.index(one):
                self.before[row["name"]].add(passes[passes.index(one) - 1]["name"])
        if direction == "backward" and transfers and passes:
            warm_up = [row for row in self.of(stage, "forward-compute") if row["start"] < passes[0]["start"]]
            if len(warm_up) > 1:
                self.before[transfers[0][0]["name"]].add(warm_up[-2]["name"])

    def add_pairs(self, sends, receives):
        for (one, _), (other, _) in zip(sends, receives):
            self.join([one["name"], other["name"]])

    def join(self, names, across=False):
        for name in names:
            self.members[name] = names
            self.grouped.add(name)
            if across:
                self.across.add(name)

    def add_groups(self):
        clips, embeddings = defaultdict(list), defaultdict(list)
        for row in self.rows:
            if row["optype"] in ("params-all-gather", "grads-reduce-scatter", "separate-grads-all-reduce"):
                self.join([row["name"]], across=True)
            elif row["optype"] == "optimizer-clip-main-grad":
                clips[row["name"][1]].append(row["name"])
            elif row["optype"] == "embedding-grads-all-reduce" and row["stage"] in (0, self.stages - 1):
                embeddings[row["name"][1]].append(row["name"])
        for names in clips.values():
            self.join(names, across=True)
        for names in embeddings.values():
            self.join(names)


def replay(rows):
    """Every answer about a table. Its rows are dictionaries with the names of the columns, and numbers."""
    rows = [dict(row, name=(row["optype"], row["seq_id"], row["stage"]), start=row["start_ts"],
                 end=row["start_ts"] + row["duration"]) for row in rows]
    steps, data_ranks = sorted({row["step"] for row in rows}), sorted({row["dp_rank"] for row in rows})
    stages = sorted({row["stage"] for row in rows})
    rank_of = {(row["dp_rank"], row["stage"]): row["rank"] for row in rows}
    graph = Graph([row for row in rows if row["step"] == steps[0] and row["dp_rank"] == data_ranks[0]], len(data_ranks) > 1)
    start, end = {}, {}
    for row in rows:
        start[row["step"], row["dp_rank"], row["name"]] = row["start"]
        end[row["step"], row["dp_rank"], row["name"]] = row["end"]
    zero = {step: min(row["start"] for row in rows if row["step"] == step) for step in steps}

    def group_of(data_rank, name):
        ranks = data_ranks if name in graph.across else [data_rank]
        return [(rank, member) for rank in ranks for member in graph.members[name]]

    transfer, delay, times = {}, {}, defaultdict(list)
    for step, data_rank, name in start:
        one = step, data_rank, name
        latest = max(start[step, rank, member] for rank, member in group_of(data_rank, name))
        transfer[one] = max(0.0, end[one] - latest)
        late = start[one] - max((end[step, data_rank, before] for before in graph.before[name]), default=zero[step])
        delay[one] = 0.0 if late < -10e-3 else late
        times[name[0], name in graph.grouped].append(transfer[one])
    ideal_of = {key: statistics.fmean(values) if key[0] in COMPUTES else statistics.median(values)
                for key, values in times.items()}

    def ideal(name):
        return ideal_of[name[0], name in graph.grouped]

    def play(step, time_of, delay_of):
        """When the last optimizer of the step ends."""
        begun, done = {}, {}

        def end_of(first):
            waiting = [first]
            while waiting:
                rank, name = waiting[-1]
                missing = [(member_rank, before) for member_rank, member in group_of(rank, name)
                           for before in graph.before[member] if (member_rank, before) not in done]
                if missing:
                    waiting += missing
                    continue
                waiting.pop()
                for member_rank, member in group_of(rank, name):
                    ready = max((done[member_rank, before] for before in graph.before[member]), default=0.0)
                    begun[member_rank, member] = ready + delay_of(step, member_rank, member)
                latest = max(begun[one] for one in group_of(rank, name))
                for member_rank, member in group_of(rank, name):
                    done[member_rank, member] = latest + time_of(step, member_rank, member)
            return done[first]

        return max(end_of((rank, name)) for rank in data_ranks for name in graph.before if name[0] == "optimizer")

    def steps_with(keeps, delays=False):
        """The ends of all steps, if only what `keeps(data rank, operation)` is true for has its recorded times."""
        return [play(step, lambda *one: transfer[one] if keeps(*one[1:]) else ideal(one[2]),
                     lambda *one: delay[one] if delays else 0.0) for step in steps]

    answer = {"recorded": steps_with(lambda *_: True, delays=True), "without_delays": steps_with(lambda *_: True),
              "ideal": steps_with(lambda *_: False)}
    means = {key: statistics.fmean(values) for key, values in answer.items()}

    def slowdowns(keeps):
        return [one / best for one, best in zip(steps_with(keeps), answer["ideal"])]

    answer["kinds"] = {kind: slowdowns(lambda _, name, kind=kind: KINDS.get(name[0], name[0]) == kind)
                       for kind in {KINDS.get(name[0], name[0]) for name in graph.before}}
    answer["stages"] = {stage: slowdowns(lambda _, name, stage=stage: name[2] == stage) for stage in stages}
    answer["data_ranks"] = {rank: slowdowns(lambda one, _, rank=rank: one == rank) for rank in data_ranks}
    scores = {(rank, stage): min(statistics.fmean(answer["data_ranks"][rank]), statistics.fmean(answer["stages"][stage]))
              for rank in data_ranks for stage in stages}
    worst = sorted(scores, key=lambda worker: (-scores[worker], rank_of[worker]))
    worst = worst[:max(1, round(0.03 * len(worst)))]

    def repaired(workers):
        repaired = statistics.fmean(steps_with(lambda rank, name: (rank, name[2]) not in workers))
        alone = statistics.fmean(steps_with(lambda rank, name: (rank, name[2]) in workers))
        cost = means["without_delays"] - means["ideal"]
        return {"repaired_s": repaired, "alone_s": alone, "saved_share": (means["without_delays"] - repaired) / cost if cost else 0,
                "caused_share": (alone - means["ideal"]) / cost if cost else 0}

    answer["scores"] = {rank_of[worker]: score for worker, score in scores.items()}
    answer["worst"] = [rank_of[worker] for worker in worst]
    answer["worst_workers"] = repaired(set(worst))
    answer["last_stage"] = repaired({(rank, stages[-1]) for rank in data_ranks})
    return answer
