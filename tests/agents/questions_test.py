"""Asks thirty questions about the bundled traces whose answers are known, and prints what each answer costs."""
import importlib.util
import json
import re
import subprocess
import unittest

from client import ROOT, STROBE, Client, rows

GPT = "gpt_inference_compiled.json.gz"
PADDLE = "paddle_attention.json.gz"
KERNELS = "gpt_kernels_h200.csv.gz"
MOST_TOKENS = 2000
MOST_CHARACTERS = 25_000


def has_duckdb():
    said = subprocess.run([STROBE, "doctor", "--format", "json"], capture_output=True, check=True).stdout
    return any(part["key"] == "duckdb" and part["present"] for part in json.loads(said)["parts"])


def schema_error(schema, data):
    """Why the data does not fit the schema; None if it does, or if nobody can tell."""
    if importlib.util.find_spec("jsonschema") is None:
        return None
    import jsonschema
    error = next(jsonschema.Draft202012Validator(schema).iter_errors(data), None)
    return error and error.message


def first(answer, table):
    return rows(answer, table)[0]


def where(answer, table, **values):
    return next(row for row in rows(answer, table) if all(row[key] == value for key, value in values.items()))


def links(answer):
    return " ".join(link["address"] for link in answer["json"]["links"])


def questions_of(answer):
    return " ".join(gap["question"] for gap in answer["json"]["cannot_answer"])


# What a person asks, the tool and its arguments, and what the answer must say. The numbers are those of the README, of
# docs/ and of other commands.
QUESTIONS = [
    ("Which traces are there?", "open", {},
     lambda a: {row["trace"] for row in rows(a, "traces")} == {
         GPT, PADDLE, "serving/normal/trace.json.gz", "serving/gpu_contention/trace.json.gz"}),
    ("Are there hardware counters?", "open", {}, lambda a: first(a, "kernel_lists")["file"] == KERNELS),
    ("How busy was the device?", "overview", {"trace": GPT},
     lambda a: a["json"]["facts"]["device_busy_share"] == 0.4182 and "41.8 %" in a["text"]),
    ("On which device did it run?", "overview", {"trace": GPT},
     lambda a: a["json"]["facts"]["device"].startswith("NVIDIA H200")),
    ("How many steps were there, and how long is one?", "overview", {"trace": GPT},
     lambda a: a["json"]["facts"]["steps"] == 20
     and where(a, "step_breakdown", label="step")["per_step_ns"] == 3_670_307),
    ("What is the main problem?", "overview", {"trace": GPT},
     lambda a: first(a, "findings")["code"] == "device_idle_host_bound" and "launch less often" in a["text"]),
    ("Where does the host lose the time?", "overview", {"trace": GPT},
     lambda a: first(a, "idle")["label"] == "aten::addmm" and first(a, "idle")["idle_total_ns"] == 9_307_391),
    ("Is the recording complete?", "overview", {"trace": GPT}, lambda a: a["json"]["recording"] == "complete"),
    ("Who holds the memory?", "overview", {"trace": GPT}, lambda a: "who holds memory" in questions_of(a)),
    ("Which kernel dominates the other model?", "overview", {"trace": PADDLE},
     lambda a: "flash_fwd_kernel" in first(a, "kernels")["kernel"]
     and first(a, "kernels")["device_total_ns"] == 61_126_500),
    ("Is the other model bound by its host?", "overview", {"trace": PADDLE},
     lambda a: "the device is the bottleneck" in json.dumps(rows(a, "findings"))),
    ("What is behind the slow launches?", "explain", {"trace": GPT, "finding": "device_idle_host_bound"},
     lambda a: where(a, "runtime_calls", call="cuLaunchKernel")["calls"] == 1940
     and where(a, "streams", stream="7")["median_delay_ns"] == 2370 and "from=464631" in links(a)),
    ("What did step 7 do?", "explain", {"trace": GPT, "step": 7},
     lambda a: a["json"]["step"]["duration_ns"] == 3_629_689 and a["json"]["step"]["start_ns"] == 19_583_475),
    ("Where do I see step 7?", "explain", {"trace": GPT, "step": 7},
     lambda a: re.search(r"#/timeline\?trace=gpt_inference_compiled.json.gz&from=19401991&to=23394648", links(a))),
    ("How long does that triton softmax take?", "explain", {"trace": GPT, "kernel": "_softmax_add_div_exp"},
     lambda a: first(a, "kernels")["calls"] == 240 and first(a, "kernels")["device_total_ns"] == 3_481_071),
    ("Who launches the largest matrix product?", "explain", {"trace": GPT, "kernel": "96x128_64x7"},
     lambda a: first(a, "kernels")["top_operator"] == "aten::addmm" and "jump=longest" in links(a)),
    ("What is slice 7?", "explain", {"trace": GPT, "slice": 7},
     lambda a: a["json"]["name"] == "aten::addmm" and a["json"]["duration_ns"] == 55_630),
    ("How often is addmm called?", "search", {"trace": GPT, "text": "addmm"},
     lambda a: a["json"]["total"] == 960 and "slice=7" in links(a)),
    ("Is there a synchronisation at the end?", "search", {"trace": GPT, "text": "cudaDeviceSynchronize"},
     lambda a: a["json"]["total"] == 1 and first(a, "slices")["duration_ns"] == 32_083),
    ("Is there any collective?", "search", {"trace": GPT, "text": "allreduce"},
     lambda a: a["json"]["total"] == 0 and "where 'allreduce' is" in questions_of(a)),
    ("Which slices are GEMM or BMM operators?", "search", {"trace": GPT, "text": "^aten::(mm|bmm)$", "regex": True},
     lambda a: a["json"]["total"] == 500),
    ("Did serving get slower?", "compare", {"normal": "serving/normal", "abnormal": "serving/gpu_contention"},
     lambda a: a["json"]["verdict"]["answer"] == "slower" and "+54.7 %" in a["text"]),
    ("Why did it get slower?", "compare", {"normal": "serving/normal", "abnormal": "serving/gpu_contention"},
     lambda a: first(a, "causes")["cause"] == "other_tenant" and first(a, "causes")["score_of_1"] == 0.98),
    ("Is it faster the other way round?", "compare", {"normal": "serving/gpu_contention", "abnormal": "serving/normal"},
     lambda a: a["json"]["verdict"]["answer"] == "faster"),
    ("How close are the kernels to the chip's limits?", "kernels", {"trace": KERNELS},
     lambda a: a["json"]["totals"]["headroom_ns"] == 4_315_000 and "DRAM 27.3 %" in a["text"]),
    ("What should be fused first?", "kernels", {"trace": KERNELS},
     lambda a: first(a, "findings")["code"] == "fuse_attention" and first(a, "fusion")["saved_ns"] == 1_592_832),
    ("What bounds the kernels of the trace?", "kernels", {"trace": GPT},
     lambda a: "what bounds each kernel" in questions_of(a) and a["json"]["totals"]["dram_share"] is None),
    ("Which rank is slow?", "fleet", {"run": "serving/normal"}, lambda a: "which rank is slow" in questions_of(a)),
    ("How many kernels ran?", "query", {"trace": GPT, "sql": "select count(*) as n, sum(dur) as t from kernels"},
     lambda a: first(a, "rows") == {"n": 3400, "t": 30_719_597}),
    ("Show me the first five milliseconds.", "open", {"trace": GPT, "start_ns": 0, "end_ns": 5_000_000},
     lambda a: "#/timeline?trace=gpt_inference_compiled.json.gz&from=0&to=5000000" in links(a)),
]


class QuestionsTest(unittest.TestCase):
    def test_thirty_questions(self):
        self.assertEqual(len(QUESTIONS), 30)
        tokens, right = [], 0
        with Client("examples") as client:
            client.begin()
            listed, _ = client.request("tools/list", {})
            schemas = {tool["name"]: tool for tool in listed["result"]["tools"]}
            for question, tool, arguments, is_right in QUESTIONS:
                answer = client.ask(tool, **arguments)
                tokens.append(answer["tokens"])
                self.assertIsNone(schema_error(schemas[tool]["inputSchema"], arguments), question)
                self.assertIsNone(schema_error(schemas[tool]["outputSchema"], answer["json"]), question)
                print(f"{answer['tokens']:6} tokens  {tool:8}  {question}")
                if tool == "query" and not has_duckdb():
                    self.assertIn("DuckDB", answer["text"])
                    right += 1
                    continue
                with self.subTest(question):
                    self.assertFalse(answer["is_error"], answer["text"])
                    self.assertTrue(is_right(answer), json.dumps(answer["json"])[:3000])
                    right += 1
                self.assertLessEqual(answer["tokens"], MOST_TOKENS, question)
                self.assertLessEqual(answer["line"], MOST_CHARACTERS, question)
        print(f"{right} of {len(QUESTIONS)} right, {sum(tokens)} tokens, {max(tokens)} at most; the list of tools has "
              f"{-(-len(json.dumps(listed)) // 3)}")

    def test_the_numbers_are_those_of_the_verbs(self):
        said = subprocess.run([STROBE, "summary", f"examples/{GPT}", "--format", "json"], cwd=ROOT, check=True,
                              capture_output=True).stdout
        summary = json.loads(said)
        with Client("examples") as client:
            client.begin()
            answer = client.ask("overview", trace=GPT, full=True)
        for table in ("kernels", "operators", "idle", "step_breakdown"):
            expected = summary["tables"][table]["rows"]
            actual = rows(answer, table)
            self.assertEqual(len(actual), len(expected), table)
            for own, row in zip(actual, expected):
                for key, value in own.items():
                    self.assertEqual(value, float(f"{row[key]:.4g}") if isinstance(row[key], float) else row[key],
                                     (table, key))

    def test_a_longer_answer_is_longer_and_still_fits(self):
        with Client("examples") as client:
            client.begin()
            usual = client.ask("overview", trace=GPT)
            longer = client.ask("overview", trace=GPT, limit=1000)
            full = client.ask("overview", trace=GPT, full=True)
        self.assertGreater(longer["tokens"], usual["tokens"])
        self.assertLessEqual(longer["line"], MOST_CHARACTERS)
        self.assertGreaterEqual(full["tokens"], longer["tokens"])
        self.assertGreater(usual["json"]["tables"]["kernels"]["rows_left_out"], 0)
        self.assertEqual(full["json"]["tables"]["kernels"]["rows_left_out"], 0)

    def test_the_ranks_of_a_run(self):
        with Client("tests/data/ranks") as client:
            client.begin()
            slow = client.ask("fleet", run="rank_5_sleeps")
            equal = client.ask("fleet", run="equal")
            asked = client.ask("query", trace="rank_5_sleeps", sql="stragglers") if has_duckdb() else None
        self.assertEqual((slow["json"]["verdict"], slow["json"]["slowest_rank"]), ("slow_rank", 5))
        self.assertEqual(where(slow, "ranks", rank=5)["times_last"], 15)
        self.assertEqual(first(slow, "causes")["cause"], "launch_bound")
        self.assertEqual(equal["json"]["verdict"], "no_slow_rank")
        if asked:
            self.assertEqual((first(asked, "rows")["rank"], first(asked, "rows")["last"]), (5, 15))
        for answer in (slow, equal):
            self.assertLessEqual(answer["tokens"], MOST_TOKENS)
            self.assertEqual(answer["json"]["cannot_answer"], [])

    def test_progress_is_told_to_those_who_ask(self):
        with Client("examples") as client:
            client.begin()
            answer, before = client.request("tools/call", {
                "name": "overview", "arguments": {"trace": GPT}, "_meta": {"progressToken": "p"}})
        self.assertFalse(answer["result"]["isError"])
        shares = [one["params"]["progress"] for one in before]
        self.assertGreaterEqual(len(shares), 1)
        self.assertEqual(shares, sorted(set(shares)))
        self.assertEqual({one["params"]["progressToken"] for one in before}, {"p"})
        self.assertEqual(before[-1]["params"]["message"], "computing")

    def test_wrong_questions_say_what_would_be_right(self):
        with Client("examples") as client:
            client.begin()
            for tool, arguments, hint in (
                    ("overview", {}, GPT), ("explain", {"trace": GPT, "step": 99}, "ProfilerStep#21"),
                    ("explain", {"trace": GPT, "kernel": "no such"}, "nvjet_sm90"),
                    ("explain", {"trace": GPT, "finding": "none"}, "device_idle_host_bound"),
                    ("open", {"trace": GPT, "start_ns": 5, "end_ns": 5}, "the trace reaches from 0 to"),
                    ("search", {"trace": GPT, "text": "(", "regex": True}, "("),
                    ("kernels", {"trace": KERNELS, "chip": "none"}, "chip"),
                    ("search", {"trace": KERNELS, "text": "a"}, "`kernels`")):
                answer = client.ask(tool, **arguments)
                self.assertTrue(answer["is_error"], (tool, arguments))
                self.assertIn(hint, answer["text"], (tool, arguments))


if __name__ == "__main__":
    unittest.main()
