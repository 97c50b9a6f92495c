"""Runs the examples of docs/agents.md: blocks fenced as ```mcp FOLDER, a call after "> ", and the text of its answer.
A line "..." stands for any lines, "..." at its end for the rest of the line."""
import json
import re
import unittest

from client import ROOT, Client

BLOCK = re.compile(r"^```mcp (\S+)\n> (\w+) (.*?)\n(.*?)^```", re.MULTILINE | re.DOTALL)
OTHER = re.compile(r"^```json\n(.*?)^```", re.MULTILINE | re.DOTALL)


def fits(expected, actual):
    lines = (r"(?:.*\n)*?" if line == "..." else re.escape(line).removesuffix(r"\.\.\.")
             + (r".*\n" if line.endswith("...") else r"\n") for line in expected.splitlines())
    return re.fullmatch("".join(lines), actual + "\n") is not None


class DocsTest(unittest.TestCase):
    page = (ROOT / "docs/agents.md").read_text(encoding="utf-8")

    def test_the_page_opens_with_five_examples_and_all_of_them_run(self):
        blocks = BLOCK.findall(self.page)
        self.assertGreaterEqual(len(BLOCK.findall(self.page.split("\n## ")[0])), 5)
        for folder, tool, arguments, expected in blocks:
            with self.subTest(tool), Client(folder) as client:
                client.begin()
                answer = client.ask(tool, **json.loads(arguments))
                self.assertTrue(fits(expected, answer["text"]), answer["text"])

    def test_every_tool_and_its_arguments_are_on_the_page(self):
        with Client("examples") as client:
            client.begin()
            tools = client.request("tools/list", {})[0]["result"]["tools"]
        self.assertLessEqual(len(tools), 8)
        for tool in tools:
            row = re.search(rf"^\| `{tool['name']}` \|.*$", self.page, re.MULTILINE)
            self.assertIsNotNone(row, tool["name"])
            for argument in set(tool["inputSchema"]["properties"]) - {"limit", "full"}:
                self.assertIn(f"`{argument}`", row.group(0), tool["name"])

    def test_the_json_of_the_page_is_json(self):
        for block in OTHER.findall(self.page):
            json.loads(block)

    def test_the_comparison_can_fail(self):
        self.assertTrue(fits("a...\n...\nz\n", "abc\nd\nz"))
        self.assertFalse(fits("a\n", "ab"))
        self.assertFalse(fits("a\n", "a\nb"))


if __name__ == "__main__":
    unittest.main()
