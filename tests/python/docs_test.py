"""Runs the examples of docs/python.md (blocks fenced as ```pycon), and the doctests of the package."""
import ast
import doctest
import importlib
import json
import os
import pathlib
import pkgutil
import re
import subprocess
import unittest

import strobe

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```pycon\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEEDS = {"to_pandas": "pandas", "to_polars": "polars", "to_arrow": "pyarrow", "[\"": "numpy"}


def has_duckdb():
    said = subprocess.run([os.environ["STROBE"], "doctor", "--format", "json"], capture_output=True, check=True).stdout
    return any(part["key"] == "duckdb" and part["present"] for part in json.loads(said)["parts"])


def can_run(text):
    for use, library in NEEDS.items():
        if use in text and importlib.util.find_spec(library) is None:
            return False
    return ".sql(" not in text or has_duckdb()


class DocsTest(unittest.TestCase):
    def test_the_page_opens_with_five_examples_and_all_of_them_run(self):
        page = (ROOT / "docs/python.md").read_text(encoding="utf-8")
        blocks = BLOCK.findall(page)
        self.assertGreaterEqual(len(BLOCK.findall(page.split("\n## ")[0])), 5)
        os.chdir(ROOT)
        names = {}
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        for number, text in enumerate(blocks, 1):
            if can_run(text):
                test = doctest.DocTestParser().get_doctest(text, names, f"example {number}", "docs/python.md", 0)
                runner.run(test, clear_globs=False)
                names.update(test.globs)
        self.assertEqual(runner.failures, 0)
        self.assertGreaterEqual(runner.tries, 5)

    def test_every_public_name_has_a_docstring(self):
        for name in strobe.__all__:
            if name != "__version__":
                self.assertTrue(getattr(strobe, name).__doc__, name)
        for module in pkgutil.iter_modules(strobe.__path__):
            if module.name != "_core":
                self.assertTrue(importlib.import_module(f"strobe.{module.name}").__doc__, module.name)

    def test_the_stub_names_what_the_module_has(self):
        stub = (ROOT / "python/strobe/_core.pyi").read_text(encoding="utf-8")
        from strobe import _core
        for owner in (_core, _core.Run, _core.Column):
            for name in vars(owner):
                if not name.startswith("_"):
                    self.assertRegex(stub, rf"\b{name}\b")

    def test_functions_take_what_the_stub_says(self):
        from strobe import _core
        run = strobe.open(ROOT / "examples/paddle_attention.json.gz")._run
        owners = {"Run": run, "Column": run.column("kernels", "dur")}

        def check(owner, node, is_method):
            if node.name.startswith("__"):
                self.assertTrue(hasattr(owner, node.name) or node.name == "__buffer__", node.name)
            elif any(isinstance(one, ast.Name) and one.id == "property" for one in node.decorator_list):
                self.assertFalse(callable(getattr(owner, node.name)), node.name)
            else:
                arguments = len(node.args.posonlyargs) + len(node.args.args) - is_method
                self.assertFalse(node.args.kwonlyargs or node.args.vararg or node.args.defaults, node.name)
                with self.assertRaises(TypeError) as caught:
                    getattr(owner, node.name)(*[None] * (arguments + 1))
                wanted = rf"exactly {arguments} argument" if arguments else "takes no arguments"
                self.assertRegex(str(caught.exception), wanted, node.name)

        for node in ast.parse((ROOT / "python/strobe/_core.pyi").read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                check(_core, node, False)
            elif isinstance(node, ast.ClassDef):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef):
                        check(owners[node.name], method, True)
            elif isinstance(node, ast.AnnAssign):
                self.assertIsInstance(getattr(_core, node.target.id), str)


if __name__ == "__main__":
    unittest.main()
