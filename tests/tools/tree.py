"""A throw-away source tree, to prove that a check can fail."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


class ToolTest(unittest.TestCase):
    tool = ""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "src" / "strobe").mkdir(parents=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_tool(self):
        done = subprocess.run([sys.executable, TOOLS / self.tool, "--root", self.root],
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def assert_passes(self):
        code, output = self.run_tool()
        self.assertEqual(code, 0, output)
        return output

    def assert_fails(self, *texts):
        code, output = self.run_tool()
        self.assertEqual(code, 1, output)
        for text in texts:
            self.assertIn(text, output)
        return output
