"""Replays the conversations in sessions/, one page each, against `strobe mcp`.

    # Why this page exists.
    folder examples
    > {"jsonrpc": ...}      a line that is sent as it is
    >hex ff 0a              bytes
    >repeat 3000000 x       one line of so many characters
    >rest {"cut             sent without a line end; then stdin ends
    < {"jsonrpc": ...}      the next line that must come; "..." stands for any value, and the member "...": for others

Nothing else may come before strobe ends, which it does with exit code 0.
"""
import json
import pathlib
import signal
import unittest
import urllib.request

from client import ROOT, Client

PAGES = sorted((pathlib.Path(__file__).parent / "sessions").glob("*.session"))


def fits(expected, actual):
    if expected == "...":
        return True
    if isinstance(expected, dict) and isinstance(actual, dict):
        members = {key for key in expected if key != "..."}
        return (members == set(actual) or "..." in expected and members <= set(actual)) and all(
            fits(expected[key], actual[key]) for key in members)
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(fits, expected, actual))
    if isinstance(expected, str) and isinstance(actual, str) and expected.endswith("..."):
        return actual.startswith(expected[:-3])
    return type(expected) is type(actual) and expected == actual


class SessionsTest(unittest.TestCase):
    def replay(self, page):
        lines = page.read_text(encoding="utf-8").splitlines()
        folder = next(line.split(maxsplit=1)[1] for line in lines if line.startswith("folder "))
        with Client(ROOT / folder) as client:
            for number, line in enumerate(lines, 1):
                command, _, rest = line.partition(" ")
                if command == ">":
                    client.send(rest.encode() + b"\n")
                elif command == ">hex":
                    client.send(bytes.fromhex(rest))
                elif command == ">repeat":
                    count, text = rest.split(" ", 1)
                    client.send(text.encode() * int(count) + b"\n")
                elif command == ">rest":
                    client.send(rest.encode())
                    client.process.stdin.close()
                elif command == "<":
                    answer = client.line()
                    self.assertIsNotNone(answer, f"{page.name}:{number}: nothing came")
                    self.assertTrue(fits(json.loads(rest), json.loads(answer)),
                                    f"{page.name}:{number}: expected {rest}\n got {answer}")
                else:
                    self.assertTrue(command in ("#", "folder", ""), f"{page.name}:{number}: {line}")
            self.assertEqual(client.end(), ("", 0), page.name)

    def test_every_page(self):
        self.assertGreaterEqual(len(PAGES), 10)
        for page in PAGES:
            with self.subTest(page.name):
                self.replay(page)

    def test_a_signal_ends_it(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with Client(ROOT / "examples") as client:
                client.begin()
                client.process.send_signal(number)
                self.assertEqual(client.process.wait(timeout=30), 0)

    def test_links_lead_to_its_own_page(self):
        with Client(ROOT / "examples") as client:
            client.begin()
            address = client.ask("open", trace="gpt_inference_compiled.json.gz")["json"]["links"][0]["address"]
            self.assertTrue(address.startswith("http://127.0.0.1:"), address)
            with urllib.request.urlopen(address.split("#")[0], timeout=30) as page:
                self.assertIn(b"<html", page.read())

    def test_a_folder_that_is_not_there(self):
        with Client(ROOT / "no_such_folder") as client:
            self.assertIsNone(client.line())
            self.assertEqual(client.process.wait(timeout=30), 3)
            self.assertIn(b"there is no such file or folder", client.process.stderr.read())

    def test_the_comparison_can_fail(self):
        self.assertFalse(fits({"a": 1}, {"a": 2}))
        self.assertFalse(fits({"a": 1}, {"a": 1, "b": 2}))
        self.assertFalse(fits({"a": 1}, {"a": True}))
        self.assertFalse(fits([1], [1, 2]))
        self.assertTrue(fits({"a": "...", "...": 0}, {"a": 1, "b": 2}))


if __name__ == "__main__":
    unittest.main()
