"""`strobe fleet` on threads and on processes: the same bits; and what it says when something is missing."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from job_of_traces import trace_of, write_job

ROOT = pathlib.Path(__file__).resolve().parents[2]
STROBE = os.environ.get("STROBE", str(ROOT / "build/strobe"))
REAL_JOB = ROOT.parent / "shared/traces/megatron_tp8"
RANKS = 6
MPIRUN = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--mca", "plm", "isolated", "--mca", "btl", "self,vader",
          "--mca", "btl_vader_single_copy_mechanism", "none"]


def environment():
    """Without what an outer mpirun or a cache would change."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("OMPI_", "PMI", "SLURM_"))}
    return dict(kept, NO_COLOR="1", XDG_CACHE_HOME=os.path.join(tempfile.gettempdir(), "strobe_no_such_cache"))


def fleet(*words, processes=0, cached=False, **variables):
    command = [STROBE, "fleet", *map(str, words)] + ([] if cached else ["--no-cache"])
    launcher = MPIRUN + ["-n", str(processes)] if processes else []
    return subprocess.run(launcher + command, capture_output=True, text=True, env=environment() | variables, check=False)


def has_mpi():
    return shutil.which("mpirun") and (pathlib.Path(STROBE).parent / "libstrobe_mpi.so").is_file()


class Fleet(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = pathlib.Path(self.folder.name)

    def answer(self, *words, **how):
        done = fleet(*words, "--format", "json", **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout


class SameBits(Fleet):
    def check(self, run):
        once = self.answer(run, "--threads", "1")
        self.assertEqual(self.answer(run, "--threads", "2"), once)
        if not has_mpi():
            self.skipTest("there is no mpirun, or strobe was built without MPI")
        for processes in (1, 2, 4):
            self.assertEqual(self.answer(run, processes=processes), once, f"{processes} processes")

    def test_a_small_job(self):
        self.check(write_job(self.root / "run", RANKS, sleeper=2))

    def test_eight_real_ranks(self):
        if not REAL_JOB.is_dir():
            self.skipTest("the shared traces are not there")
        self.check(REAL_JOB)

    def test_the_names_of_the_files_decide_nothing(self):
        forwards = json.loads(self.answer(write_job(self.root / "a", RANKS, sleeper=2, name=lambda rank: f"{rank}.json")))
        backwards = json.loads(self.answer(write_job(self.root / "b", RANKS, sleeper=2,
                                                     name=lambda rank: f"{9 - rank}.json")))
        for answer in (forwards, backwards):
            answer.pop("facts")
            for row in answer["tables"]["ranks"]["rows"]:
                row.pop("file")
        self.assertEqual(backwards, forwards)


class WhoIsSlow(Fleet):
    def test_a_rank_that_sleeps_is_named_with_its_reason(self):
        answer = json.loads(self.answer(write_job(self.root / "run", RANKS, sleeper=3)))
        rows = answer["tables"]["stragglers"]["rows"]
        self.assertEqual([row["ranks"] for row in rows], ["3"])
        self.assertIn("host, between operators", rows[0]["reason"])
        lost = 30 * (RANKS - 1) / ((53 + 0.3 * 4) * RANKS)
        self.assertAlmostEqual(rows[0]["lost_share"], lost, delta=0.1 * lost)

    def test_equal_ranks_are_not_blamed(self):
        answer = json.loads(self.answer(write_job(self.root / "run", RANKS)))
        self.assertNotIn("stragglers", answer["tables"])


class Trouble(Fleet):
    def refused(self, *words, code, **how):
        done = fleet(*words, **how)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        return done.stderr

    def test_an_empty_file_is_named_and_can_be_left_out(self):
        run = write_job(self.root / "run", RANKS)
        (run / "rank4.json").write_text('{"traceEvents": []}', encoding="utf-8")
        for processes in (0, 2) if has_mpi() else (0,):
            said = self.refused(run, code=3, processes=processes)
            self.assertIn("rank4.json", said)
            self.assertIn("--allow-missing 1", said)
        done = fleet(run, "--allow-missing", "1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank4.json", done.stdout)

    def test_a_cut_file_is_named_and_its_steps_count(self):
        run = write_job(self.root / "run", RANKS)
        text = (run / "rank4.json").read_bytes()
        (run / "rank4.json").write_bytes(text[:len(text) // 2])
        done = fleet(run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank4.json", done.stderr)
        self.assertIn("that of rank 4 has", " ".join(done.stdout.split()))

    def test_a_rank_of_other_steps_is_named(self):
        run = write_job(self.root / "run", RANKS)
        later = trace_of(2, RANKS, 8, first_step=5)
        (run / "rank2.json").write_text(json.dumps(later), encoding="utf-8")
        answer = json.loads(self.answer(run))
        self.assertEqual(answer["facts"]["steps"], 3)
        said = " ".join(answer["verdict"])
        self.assertIn("Only 3 steps are in the traces of all ranks", said)
        self.assertIn("rank 2 has 8, ProfilerStep#5 to ProfilerStep#12", said)
        self.assertEqual(answer["tables"]["mismatches"]["rows"][0]["kind"], "not recorded")

    def test_a_trace_of_another_job_is_named(self):
        run = write_job(self.root / "run", RANKS)
        (run / "rank3.json").write_text(json.dumps(trace_of(3, 4, 8)), encoding="utf-8")
        done = fleet(run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Nothing ties rank 3 to the others", " ".join(done.stdout.split()))

    def test_a_missing_rank_is_a_finding(self):
        run = write_job(self.root / "run", RANKS)
        (run / "rank1.json").unlink()
        answer = json.loads(self.answer(run))
        self.assertIn("1", answer["tables"]["mismatches"]["rows"][0]["ranks"])
        self.assertIn("There is no trace of rank 1: whether the others wait for it is not known.", answer["verdict"])

    def test_hosts_in_the_names_of_files_are_found(self):
        run = write_job(self.root / "run", 4, name=lambda rank: f"node{rank // 2}_{700 + rank}.1706850122862.pt.trace.json")
        rows = json.loads(self.answer(run))["tables"]["ranks"]["rows"]
        self.assertEqual([row["host"] for row in rows], ["node0", "node0", "node1", "node1"])

    def test_two_ranks_with_one_number(self):
        run = write_job(self.root / "run", 2)
        shutil.copy(run / "rank0.json", run / "copy_of_rank0.json")
        self.assertIn("rank 0", self.refused(run, code=3))

    def test_one_rank_is_no_job(self):
        run = write_job(self.root / "run", 1)
        self.assertIn("strobe summary", self.refused(run, code=3))

    def test_a_process_that_dies_ends_the_job(self):
        if not has_mpi():
            self.skipTest("there is no mpirun, or strobe was built without MPI")
        run = write_job(self.root / "run", RANKS)
        script = f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then kill -9 $$; fi; exec "{STROBE}" fleet "{run}" --no-cache'
        done = subprocess.run(MPIRUN + ["-n", "3", "sh", "-c", script], capture_output=True, text=True,
                              env=environment(), check=False, timeout=120)
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stdout, "")
        self.answer(run, processes=3)

    def test_processes_that_cannot_reach_each_other(self):
        if not has_mpi():
            self.skipTest("there is no mpirun, or strobe was built without MPI")
        run = write_job(self.root / "run", RANKS)
        for variables in ({"OMPI_COMM_WORLD_SIZE": "2", "OMPI_COMM_WORLD_RANK": "1"}, {"MPI_LOCALNRANKS": "2"}):
            said = self.refused(run, code=4, **variables)
            self.assertIn("mpirun started 2 processes that cannot reach each other", said)

    def test_an_interrupted_process_ends_the_job(self):
        if not has_mpi():
            self.skipTest("there is no mpirun, or strobe was built without MPI")
        run = write_job(self.root / "run", RANKS)
        (run / "rank1.json").unlink()
        os.mkfifo(run / "rank1.json")  # reading it takes until the signal
        script = f'if [ "$OMPI_COMM_WORLD_RANK" = 1 ]; then (sleep 1; kill -INT $$) & fi; exec "{STROBE}" fleet "{run}" --no-cache'
        done = subprocess.run(MPIRUN + ["-n", "2", "sh", "-c", script], capture_output=True, text=True,
                              env=environment(), check=False, timeout=120)
        self.assertEqual(done.returncode, 130, done.stderr)
        self.assertIn("interrupted", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_each_of_several_processes_may_be_started_for_a_table(self):
        if not has_mpi():
            self.skipTest("there is no mpirun, or strobe was built without MPI")
        table = ROOT / "tests/data/fleet/uneven_stages.csv"
        self.assertEqual(self.answer(table, processes=3), self.answer(table))

    def test_a_digest_that_is_damaged_is_made_again(self):
        run = write_job(self.root / "run", RANKS)
        once = self.answer(run)
        os.utime(run)
        cache = self.root / "cache"
        self.assertEqual(self.answer(run, "--cache-dir", cache, cached=True), once)
        for kept in cache.rglob("*"):
            if kept.is_file():
                kept.write_bytes(kept.read_bytes()[:-3])
        self.assertEqual(self.answer(run, "--cache-dir", cache, cached=True), once)


if __name__ == "__main__":
    unittest.main()
