"""cmake/fingerprint.cmake sees every source of its folders, in subfolders too: the trace cache trusts it."""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "cmake" / "fingerprint.cmake"


class FingerprintTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("base/id.h", "a")
        self.write("readers/counters/deep/table.cc", "b")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def fingerprint(self):
        output = self.root / "out" / "fingerprint.h"
        subprocess.run(["cmake", f"-DROOT={self.root}", "-DFOLDERS=base,readers", "-DNAME=readers",
                        f"-DOUTPUT={output}", "-P", str(SCRIPT)], check=True)
        return output.read_text(encoding="utf-8")

    def test_the_same_sources_have_the_same_fingerprint(self):
        self.assertEqual(self.fingerprint(), self.fingerprint())

    def test_a_change_in_a_subfolder_changes_it(self):
        before = self.fingerprint()
        self.write("readers/counters/deep/table.cc", "c")
        self.assertNotEqual(before, self.fingerprint())

    def test_a_new_file_in_a_new_subfolder_changes_it(self):
        before = self.fingerprint()
        self.write("readers/new_format/reader.h", "d")
        self.assertNotEqual(before, self.fingerprint())

    def test_a_file_of_another_folder_does_not(self):
        before = self.fingerprint()
        self.write("report/page.cc", "e")
        self.assertEqual(before, self.fingerprint())


if __name__ == "__main__":
    if shutil.which("cmake") is None:
        sys.exit(77)
    unittest.main()
