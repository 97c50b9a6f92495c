"""A wheel is built from the module, installed by pip without any registry, and works."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run(*words, **more):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, timeout=120, **more)


class WheelTest(unittest.TestCase):
    def test_equal_content_makes_equal_wheels(self):
        with tempfile.TemporaryDirectory() as folder:
            paths = [pathlib.Path(run(sys.executable, ROOT / "python/build_wheel.py", f"{folder}/{i}").stdout.strip())
                     for i in (1, 2)]
            self.assertEqual(paths[0].read_bytes(), paths[1].read_bytes())
            names = zipfile.ZipFile(paths[0]).namelist()
            self.assertIn("strobe/_core.abi3.so", names)
            self.assertIn("strobe/py.typed", names)
            self.assertIn("strobe/_core.pyi", names)
            self.assertFalse([name for name in names if "__pycache__" in name])

    @unittest.skipIf(importlib.util.find_spec("pip") is None, "pip is not installed")
    def test_pip_installs_this_folder_without_a_registry(self):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1")
        with tempfile.TemporaryDirectory() as folder:
            run(sys.executable, "-m", "pip", "install", "--quiet", "--target", f"{folder}/here", ROOT, env=environment,
                cwd=folder)
            said = run(sys.executable, "-c",
                       "import strobe, sys; print(strobe.__file__); print(len(strobe.open(sys.argv[1]).slices))",
                       ROOT / "examples/gpt_inference_compiled.json.gz",
                       env={**environment, "PYTHONPATH": f"{folder}/here"}, cwd=folder).stdout.split()
            self.assertTrue(said[0].startswith(folder))
            self.assertEqual(said[1], "10862")


if __name__ == "__main__":
    unittest.main()
