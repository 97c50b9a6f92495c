"""tools/check_install names what is missing or wrong in an installed tree."""
import gzip
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"

# Enough of strobe for the tool: help, the doctor, and `kernels record`.
STROBE = """#!/bin/sh
library=$(dirname "$0")/../lib/strobe/libstrobe_inject.so
case "$1 $2" in
  "doctor --format")
    path=; [ -f "$library" ] && path=$library
    printf '{"parts": [{"key": "recorder", "path": "%s"}]}' "$path" ;;
  "kernels record") [ -f "$library" ] || echo "libstrobe_inject.so is not there" >&2 ;;
  *) echo "strobe summary: where the time went" ;;
esac
"""
BASH = """_strobe() {
  local word=${COMP_WORDS[COMP_CWORD]}
  COMPREPLY=($(compgen -W "summary --format markdown roofline" -- "$word"))
}
"""
PAGE = '.TH STROBE 1\n.SH NAME\nstrobe \\- a name\n.SS strobe summary\na\n.SS strobe kernels\nb\n'


class CheckInstallTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = pathlib.Path(folder.name)
        self.write("bin/strobe", STROBE).chmod(0o755)
        for name in ["README.md", "LICENSE", "CHANGELOG.md", "examples/gpt_inference_compiled.json.gz"]:
            self.write(f"share/doc/strobe/{name}", "a")
        self.write("share/bash-completion/completions/strobe", BASH)
        self.write("share/zsh/site-functions/_strobe", "compdef _strobe strobe\n")
        self.write("share/fish/vendor_completions.d/strobe.fish", "complete -c strobe\n")
        self.page(PAGE)

    def write(self, name, text):
        path = self.prefix / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def page(self, text):
        path = self.write("share/man/man1/strobe.1.gz", "")
        path.write_bytes(gzip.compress(text.encode()))

    def check(self):
        done = subprocess.run([sys.executable, TOOLS / "check_install", "--installed", self.prefix],
                              capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    def assert_fails(self, text):
        code, output = self.check()
        self.assertEqual(code, 1, output)
        self.assertIn(text, output)

    def test_a_whole_tree_passes_with_and_without_the_library(self):
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn("without a recorder", output)
        self.write("lib/strobe/libstrobe_inject.so", "a")
        code, output = self.check()
        self.assertEqual(code, 0, output)
        self.assertIn("with a recorder", output)

    def test_a_missing_file_is_named(self):
        (self.prefix / "share/zsh/site-functions/_strobe").unlink()
        self.assert_fails("not installed: share/zsh/site-functions/_strobe")

    def test_a_library_that_strobe_does_not_find_is_named(self):
        self.write("lib/strobe/libstrobe_inject.so", "a")
        self.write("bin/strobe", STROBE.replace("&& path=$library", ""))
        self.assert_fails("doctor finds the recorder at ''")

    def test_a_completion_that_completes_nothing_is_named(self):
        self.write("share/bash-completion/completions/strobe", BASH.replace("--format", "--fmt"))
        self.assert_fails("bash completes")

    def test_a_manual_without_commands_is_named(self):
        self.page(".TH STROBE 1\n")
        self.assert_fails("strobe.1.gz lists only")

    def test_a_command_of_the_demo_that_fails_is_named(self):
        self.write("bin/strobe", STROBE.replace('*) echo', '*) false; exit 3; echo'))
        self.assert_fails("ended with")


if __name__ == "__main__":
    unittest.main()
