"""The recording of eight equal ranks over gloo (tests/data/ranks/equal), played again with a rank that sleeps: whichever it
is, however many ranks there are, and whatever their clocks and files are called."""
import gzip
import json
import os
import pathlib
import random
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
RECORDED = ROOT / "tests/data/ranks/equal"
MS = 1000  # microseconds, in which traces count


def recorded_rank(rank):
    return json.loads(gzip.decompress((RECORDED / f"rank{rank}.json.gz").read_bytes()))["traceEvents"]


class Clock:
    """When a rank's recorded moments come in the new run: later by so much, from then on, but not before a moment."""

    def __init__(self):
        self.changes = [(float("-inf"), 0.0, float("-inf"))]

    def change(self, since, later, not_before=float("-inf")):
        self.changes.append((since, later, not_before))

    @property
    def later(self):
        return self.changes[-1][1]

    def __call__(self, moment):
        later, not_before = next((later, least) for since, later, least in reversed(self.changes) if since <= moment)
        return max(moment + later, not_before)


def played_again(ranks, sleeper, sleep_ms):
    """Each step has one all-reduce, which ends for every rank some time after the last one has come."""
    reduces = [sorted((event["ts"], event["ts"] + event["dur"]) for event in events if event["name"] == "gloo:all_reduce")
               for events in ranks]
    begins = [sorted(event["ts"] for event in events if event["name"] == "DistributedDataParallel.forward") for events in ranks]
    clocks = [Clock() for _ in ranks]
    for step, parts in enumerate(zip(*reduces)):
        if sleeper is not None:
            clocks[sleeper].change(begins[sleeper][step], clocks[sleeper].later + sleep_ms * MS)
        came = [clock(begin) for clock, (begin, _) in zip(clocks, parts)]
        transfer = 0.5 * MS if len(ranks) < 8 else max(50, min(end for _, end in parts) - max(begin for begin, _ in parts))
        for clock, here, (begin, end) in zip(clocks, came, parts):
            later = max(came) + transfer - end
            clock.change(begin + 0.001, min(clock.later, later), here)
            clock.change(end, later, max(came) + transfer)
    return [[dict(event, ts=clock(event["ts"]), dur=max(0, clock(event["ts"] + event["dur"]) - clock(event["ts"])))
             for event in events] for clock, events in zip(clocks, ranks)]


def length_of(ranks):
    steps = [[event for event in events if event["name"].startswith("ProfilerStep#")] for events in ranks]
    return sum(own[-1]["ts"] + own[-1]["dur"] - own[0]["ts"] for own in steps) / len(steps)


class Recorded(unittest.TestCase):
    def setUp(self):
        self.dice = random.Random(5)
        self.recorded = [recorded_rank(rank) for rank in range(8)]

    def stragglers(self, ranks, numbers, named_by_host=False, with_rank=True, with_steps=True):
        with tempfile.TemporaryDirectory() as folder:
            for events, number in zip(ranks, numbers):
                ahead = 0 if named_by_host else self.dice.uniform(-10, 10) * MS
                trace = {"schemaVersion": 1, "traceEvents": [
                    dict(event, ts=event["ts"] + ahead) for event in events
                    if with_steps or not event["name"].startswith("ProfilerStep#")]}
                if with_rank:
                    trace["distributedInfo"] = {"backend": "gloo", "rank": number, "world_size": len(ranks)}
                name = f"node_{900 + 7 * number}.{1699000000000 + number}.pt.trace.json" if named_by_host else f"rank{number}.json"
                (pathlib.Path(folder) / name).write_text(json.dumps(trace), encoding="utf-8")
            done = subprocess.run([STROBE, "fleet", folder, "--no-cache", "--format", "json"], capture_output=True, text=True,
                                  check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["tables"].get("stragglers", {"rows": []})["rows"]

    def check_sleeper(self, chosen, sleep_ms, **how):
        ranks = [self.recorded[rank] for rank in chosen]
        numbers = self.dice.sample(range(len(ranks)), len(ranks))
        sleeper = self.dice.randrange(len(ranks))
        slept = played_again(ranks, sleeper, sleep_ms)
        rows = self.stragglers(slept, numbers, **how)
        self.assertEqual([row["ranks"] for row in rows], [str(numbers[sleeper])], f"{chosen}, {sleep_ms} ms, {how}")
        self.assertIn("host, between operators", rows[0]["reason"])
        longer = length_of(slept) - length_of(played_again(ranks, None, 0))
        lost = longer / length_of(slept) * (len(ranks) - 1) / len(ranks)
        self.assertAlmostEqual(rows[0]["lost_share"], lost, delta=0.2 * lost + 0.02)

    def test_whichever_rank_sleeps(self):
        for _ in range(4):
            self.check_sleeper(range(8), 30)

    def test_however_long_it_sleeps_and_many_they_are(self):
        for chosen, sleep_ms in (((0, 3, 6), 30), ((1, 2, 4, 7), 30), ((2, 5), 100), (range(8), 100)):
            self.check_sleeper(chosen, sleep_ms)

    def test_whatever_the_files_are_called_and_tell(self):
        self.check_sleeper(range(8), 30, named_by_host=True)
        self.check_sleeper(range(8), 30, with_rank=False)
        self.check_sleeper(range(8), 30, with_steps=False)

    def test_equal_ranks_are_not_blamed(self):
        for chosen in (range(8), (0, 3, 6), (2, 5), (1, 4, 5, 7)):
            ranks = played_again([self.recorded[rank] for rank in chosen], None, 0)
            self.assertEqual(self.stragglers(ranks, range(len(ranks))), [])
            self.assertEqual(self.stragglers(ranks, range(len(ranks)), with_steps=False), [])


if __name__ == "__main__":
    unittest.main()
