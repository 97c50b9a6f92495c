"""What a trace and a comparison say is what the command line says."""
import collections
import contextlib
import gzip
import io
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import unittest
import warnings

import strobe

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
STROBE = os.environ["STROBE"]
TRACES = [EXAMPLES / "gpt_inference_compiled.json.gz", EXAMPLES / "paddle_attention.json.gz",
          EXAMPLES / "serving/normal", EXAMPLES / "serving/gpu_contention"]
RANKS = ROOT / "tests/data/ranks/rank_5_sleeps"


def command_line(*words):
    done = subprocess.run([STROBE, *map(str, words)], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def has_duckdb():
    parts = json.loads(command_line("doctor", "--format", "json")[1])["parts"]
    return any(part["key"] == "duckdb" and part["present"] for part in parts)


class RunTest(unittest.TestCase):
    def test_a_summary_is_that_of_the_command_line(self):
        for path in TRACES:
            expected = json.loads(command_line("summary", path, "--format", "json")[1])
            trace = strobe.open(path)
            self.assertEqual(trace.summary(), expected, path)
            self.assertEqual(trace.findings, expected["findings"], path)
            self.assertEqual(trace.steps, expected["tables"]["steps"]["rows"], path)

    def test_a_folder_of_ranks_is_one_run(self):
        with tempfile.TemporaryDirectory() as folder:
            for rank in (0, 1):
                (pathlib.Path(folder) / f"rank{rank}").mkdir()
                (pathlib.Path(folder) / f"rank{rank}" / "trace.json.gz").symlink_to(TRACES[0])
            trace = strobe.open(folder)
            expected = json.loads(command_line("summary", folder, "--format", "json")[1])
            self.assertEqual(trace.summary(), expected)
            self.assertEqual(len(trace.kernels), 2 * len(strobe.open(TRACES[0]).kernels))
            self.assertEqual({row["rank"] for row in trace.kernels.to_rows()}, {0, 1})

    def test_ranks_have_tables_of_what_they_did_together(self):
        trace = strobe.open(ROOT / "tests/data/ranks/rank_5_sleeps")
        rows = trace.ranks.to_rows()
        self.assertEqual(len(rows), 8 * 16)
        for row in rows:
            self.assertEqual(sum(row[part] for part in ("own", "wait", "transfer")), row["dur"])
        last = collections.Counter(row["last_rank"] for row in trace.collectives.to_rows())
        self.assertEqual(last.most_common(1), [(5, 15)])
        self.assertEqual(sum(row["wait"] for row in trace.arrivals.to_rows()),
                         sum(row["wait"] for row in trace.collectives.to_rows()))

    def test_a_comparison_is_that_of_the_command_line(self):
        normal, abnormal = TRACES[2:]
        made = strobe.compare(normal, abnormal)
        code, expected, _ = command_line("compare", normal, abnormal, "--format", "json")
        self.assertEqual(code, 0)
        self.assertEqual(made.data, json.loads(expected))
        self.assertEqual(made.answer, "slower")
        self.assertEqual(made.causes[0]["cause"], "other_tenant")
        self.assertIn("Likely cause: another process uses GPU 0", str(made))
        self.assertIn("<iframe srcdoc=", made._repr_html_())

    def test_a_comparison_warns_of_lost_input(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = pathlib.Path(folder) / "trace.json"
            cut.write_bytes(gzip.decompress((EXAMPLES / "gpt_inference_compiled.json.gz").read_bytes())[:-1000])
            with self.assertWarnsRegex(strobe.TraceWarning, "trace.json"):
                strobe.compare(EXAMPLES / "gpt_inference_compiled.json.gz", cut)

    def test_digests_and_further_runs_are_compared_as_well(self):
        normal, abnormal = TRACES[2:]
        with tempfile.TemporaryDirectory() as folder:
            digest = pathlib.Path(folder) / "normal.strobe-digest"
            self.assertEqual(command_line("compare", normal, "--digest", digest)[0], 0)
            made = strobe.compare(digest, abnormal, repeat=[abnormal])
            expected = json.loads(command_line("compare", digest, abnormal, "--repeat", abnormal,
                                               "--format", "json")[1])
        self.assertEqual(made.data, expected)

    def test_a_job_is_that_of_the_command_line(self):
        told = []
        made = strobe.fleet(RANKS, progress=lambda done, total: told.append((done, total)))
        code, expected, _ = command_line("fleet", RANKS, "--format", "json")
        self.assertEqual(code, 0)
        self.assertEqual(made.data, json.loads(expected))
        self.assertEqual([row["who"] for row in made.stragglers], ["rank 5"])
        self.assertEqual(len(made.ranks), 8)
        self.assertEqual(made.collectives[0]["kind"], "all_reduce")
        self.assertEqual(repr(made), "<strobe.Fleet: 8 ranks, 1 stragglers>")
        self.assertIn("Rank 5 holds the others up", made.verdict[0])
        self.assertIn("Rank 5 holds the others up", str(made))
        self.assertIn("<iframe srcdoc=", made._repr_html_())
        self.assertEqual(strobe.fleet(RANKS, threads=1, cache=False).data, made.data)
        for done, total in told:
            self.assertEqual(total, sum(path.stat().st_size for path in RANKS.glob("*.json.gz")))
            self.assertLessEqual(done, total)

    def test_a_job_with_damaged_ranks_says_so(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in RANKS.glob("*.json.gz"):
                (folder / path.name).symlink_to(path)
            (folder / "rank7.json.gz").unlink()
            (folder / "rank7.json.gz").write_bytes((RANKS / "rank7.json.gz").read_bytes()[:-2000])
            with self.assertWarnsRegex(strobe.TraceWarning, "rank7"):
                self.assertEqual(len(strobe.fleet(folder).ranks), 8)
            (folder / "rank7.json.gz").write_bytes(gzip.compress(b'{"traceEvents": []}'))
            with self.assertRaises(strobe.Error) as caught:
                strobe.fleet(folder)
            self.assertEqual(caught.exception.hint, "allow_missing=1 answers for the other 7 ranks")
            self.assertEqual(len(strobe.fleet(folder, allow_missing=1).ranks), 7)
            for path in list(folder.iterdir())[1:]:
                path.unlink()
            with self.assertRaises(strobe.Error):
                strobe.fleet(folder)
        with self.assertRaises(strobe.FileError):
            strobe.fleet("none")

    def test_an_error_has_the_text_and_the_hint_of_the_command_line(self):
        with tempfile.TemporaryDirectory() as folder:
            text = pathlib.Path(folder) / "notes.txt"
            text.write_text("hello", encoding="utf-8")
            for path in (pathlib.Path(folder) / "none.json", text, pathlib.Path(folder)):
                code, _, said = command_line("query", path, "select 1")
                self.assertNotEqual(code, 0)
                with self.assertRaises(strobe.Error) as caught:
                    strobe.open(path)
                self.assertEqual(f"strobe: {caught.exception}\n", said)
        with self.assertRaises(OSError) as caught:
            strobe.open("none.json")
        missing = caught.exception
        self.assertIsInstance(missing, strobe.FileError)
        self.assertEqual(missing.code, "not_found")
        self.assertEqual(missing.where, "none.json")

    def test_lost_input_is_a_warning(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cut.json"
            path.write_text('{"traceEvents":[{"ph":"X","name":"a","ts":1,"dur":5,"pid":1,"tid":1},{"ph":"X","na')
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                trace = strobe.open(path)
            said = command_line("summary", path)[2]
        self.assertEqual([f"strobe: warning: {warning.message}\n" for warning in caught], [said])
        self.assertTrue(issubclass(caught[0].category, strobe.TraceWarning))
        self.assertEqual(len(trace.slices), 1)

    def test_progress_is_told_and_an_exception_in_it_ends_the_load(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "large.json"
            event = '{"ph":"X","cat":"cpu_op","name":"a","ts":%d,"dur":5,"pid":1,"tid":1}'
            path.write_text('{"traceEvents":[' + ",\n".join(event % i for i in range(0, 9_000_000, 10)) + "]}")
            told = []
            strobe.open(path, cache=False, threads=1, progress=lambda done, total: told.append((done, total)))
            for done, total in told:
                self.assertEqual(total, path.stat().st_size)
            self.assertEqual(told, sorted(told))

            def stop(done, total):
                raise RuntimeError("stopped")

            if told:
                with self.assertRaisesRegex(RuntimeError, "stopped"):
                    strobe.open(path, cache=False, threads=1, progress=stop)

    def test_other_threads_run_during_a_load(self):
        ticks, done = [], threading.Event()

        def tick():
            while not done.wait(0.001):
                ticks.append(1)

        thread = threading.Thread(target=tick)
        thread.start()
        for _ in range(5):
            strobe.open(TRACES[0])
        done.set()
        thread.join()
        self.assertGreater(len(ticks), 5)

    def test_a_notebook_shows_the_overview(self):
        page = strobe.open(TRACES[0])._repr_html_()
        self.assertIn("where the time went", page)
        self.assertIn("the host launches too slowly", page)
        self.assertIn("<table>", page)
        self.assertNotIn("<script", page)

    def test_nothing_is_printed_without_a_terminal(self):
        out = io.StringIO()
        with contextlib.redirect_stderr(out), contextlib.redirect_stdout(out):
            strobe.open(TRACES[0])
        self.assertEqual(out.getvalue(), "")

    def test_opening_again_and_again_keeps_no_memory(self):
        def resident_bytes():
            return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def open_once():
            trace = strobe.open(EXAMPLES / "paddle_attention.json.gz")
            trace.kernels.to_rows(1)
            trace.summary()

        opens = int(os.environ.get("STROBE_OPENS", "60"))
        for _ in range(opens // 2):
            open_once()
        before = resident_bytes()
        for _ in range(opens):
            open_once()
        per_open = (resident_bytes() - before) / opens
        print(f"{opens} opens: {per_open:.0f} bytes each")
        self.assertLess(per_open, 100_000 if opens < 500 else 2_000)


@unittest.skipUnless(has_duckdb(), "DuckDB is not on this machine")
class SqlTest(unittest.TestCase):
    def test_an_answer_is_that_of_the_command_line(self):
        query = ("select name, count(*) as calls, sum(dur) as total, avg(dur) as mean, max(step) as step "
                 "from kernels group by name order by total desc, name")
        answer = strobe.open(TRACES[0]).sql(query)
        expected = json.loads(command_line("query", TRACES[0], query, "--format", "json")[1])
        self.assertEqual(answer.to_rows(), expected)
        self.assertEqual(len(answer), len(expected))

    def test_every_table_is_the_same_by_sql(self):
        trace = strobe.open(TRACES[2])
        for name, table in trace.tables.items():
            answer = trace.sql(f"select * from {name}")
            self.assertEqual(list(answer), list(table), name)
            self.assertEqual(answer.to_rows(), table.to_rows(), name)

    def test_columns_of_one_name_are_all_there(self):
        answer = strobe.open(TRACES[0]).sql("select a.dur, b.dur from kernels a join kernels b using (slice_id)")
        self.assertEqual(list(answer), ["dur", "dur_1"])
        self.assertEqual(int(answer.to_rows(1)[0]["dur_1"]), answer.to_rows(1)[0]["dur"])

    def test_a_built_in_question_has_a_name(self):
        answer = strobe.open(TRACES[0]).sql("families")
        self.assertEqual(answer.to_rows(1)[0]["family"], "gemm")

    def test_a_mistake_is_an_error_with_its_place(self):
        trace = strobe.open(TRACES[0])
        query = "select nme from kernels"
        said = command_line("query", TRACES[0], query)[2]
        with self.assertRaises(strobe.InvalidArgument) as caught:
            trace.sql(query)
        self.assertEqual(f"strobe: {caught.exception}\n", said)
        self.assertIsInstance(caught.exception, ValueError)

    def test_a_query_ends_after_its_timeout(self):
        with self.assertRaisesRegex(strobe.Error, "longer than its time limit"):
            strobe.open(TRACES[0]).sql("select count(*) from slices a, slices b, slices c", timeout=0.2)

    def test_threads_ask_at_once(self):
        trace = strobe.open(TRACES[0])
        answers = []

        def ask():
            answers.append(trace.sql("select sum(dur) as total from kernels").to_rows())

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(answers), 4)
        self.assertTrue(all(answer == answers[0] for answer in answers))


if __name__ == "__main__":
    unittest.main()
