"""The runs of a laboratory, and questions to `strobe compare` about them."""
import concurrent.futures
import json
import subprocess

import amounts

PINNED = amounts.PINNED


def lines_of(folder):
    return [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]


def good(lines):
    return [line for line in lines if line["exit_code"] == 0 and "device_ms" in line]


def recorder_of(line):
    return "torch" if line["day"].endswith("torch") else "strobe"


def base_of(fault):
    """What a fault is compared with: its runs may be pinned to a core, and so must the others be then."""
    return PINNED if fault in ("own_core", PINNED) else "none"


def path_of(folder, run):
    digest = folder / f"{run}.strobe-digest"
    return digest if digest.exists() else folder / run


def ask(strobe, folder, normal, abnormal):
    """The report of a comparison of two sides, each a list of runs; of a comparison that failed, only its exit code."""
    normal, abnormal = ([str(path_of(folder, run)) for run in side] for side in (normal, abnormal))
    flags = [flag for name, more in (("--baseline", normal[1:]), ("--repeat", abnormal[1:])) if more for flag in (name, ",".join(more))]
    done = subprocess.run([strobe, "compare", "--format", "json", normal[0], abnormal[0], *flags], capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"verdict": {"answer": f"exit {done.returncode}", "cause": None, "confidence": "none"}, "causes": []}


def ask_all(strobe, folder, questions):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda sides: ask(strobe, folder, *sides), questions))
