"""tools/check_schemas finds what does not fit a schema, and commands without one."""
import copy
import importlib.machinery
import importlib.util
import json
import pathlib
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "check_schemas"

try:
    import jsonschema
except ImportError:
    sys.exit(77)


def load_tool():
    loader = importlib.machinery.SourceFileLoader("check_schemas", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_schemas", loader))
    loader.exec_module(module)
    return module


TABLE = {"title": "Kernels", "columns": [{"key": "kernel", "type": "name"}], "rows": [], "rows_left_out": 0, "notes": []}
ROW = {"kernel": "gemm", "calls": 1, "device_total_ns": 5, "device_share": 1, "device_per_call_ns": 5, "steady_per_call_ns": None,
       "device_max_ns": 5, "device_min_ns": 5, "top_operator": "mm", "top_operator_share": 1, "outer_operator": None,
       "role": "computation"}
SUMMARY = {"schema": "strobe.summary", "version": 2, "facts": {"file": "a.json", "span_ns": 5},
           "health": {"verdict": "complete", "text": "complete", "remarks": []},
           "findings": [{"code": "x", "weight": "note", "share": 0.5, "headline": "a", "advice": "b", "against": []}],
           "tables": {"kernels": {**TABLE, "rows": [ROW]}}}


class CheckSchemasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tool = load_tool()
        cls.schemas = cls.tool.Schemas(jsonschema)

    def problems(self, change=lambda document: None):
        document = copy.deepcopy(SUMMARY)
        change(document)
        return list(self.schemas.problems(document))

    def assert_found(self, change, text):
        found = self.problems(change)
        self.assertTrue(found)
        self.assertIn(text, found[0])

    def test_a_document_that_fits_has_no_problems(self):
        self.assertEqual(self.problems(), [])

    def test_a_missing_member_is_found_on_every_level(self):
        self.assert_found(lambda d: d.pop("health"), "'health' is a required property")
        self.assert_found(lambda d: d["findings"][0].pop("share"), "'share' is a required property")
        self.assert_found(lambda d: d["tables"]["kernels"]["rows"][0].pop("calls"), "'calls' is a required property")
        self.assert_found(lambda d: d["tables"]["kernels"].pop("notes"), "'notes' is a required property")

    def test_a_renamed_member_is_found(self):
        def rename(document):
            row = document["tables"]["kernels"]["rows"][0]
            row["count"] = row.pop("calls")
        found = self.problems(rename)
        self.assertTrue(any("'count' was unexpected" in problem for problem in found), found)

    def test_another_type_or_word_is_found(self):
        self.assert_found(lambda d: d["tables"]["kernels"]["rows"][0].update(device_total_ns=5.5), "5.5 is not of type")
        self.assert_found(lambda d: d["findings"][0].update(weight="huge"), "'huge' is not one of")

    def test_a_document_without_a_schema_is_found(self):
        self.assert_found(lambda d: d.update(version=99), "there is no docs/schemas/summary.v99.json")
        self.assert_found(lambda d: d.update(schema="strobe.new"), "there is no docs/schemas/new.v2.json")

    def test_a_command_that_nobody_calls_is_found(self):
        offered = [*self.tool.FRESH, "dance"]
        self.assertEqual(len(self.tool.uncovered(offered)), 1)
        self.assertIn("strobe dance offers JSON", self.tool.uncovered(offered)[0])
        self.assertIn("does not offer JSON", self.tool.uncovered(list(self.tool.FRESH)[1:])[0])

    def test_a_loose_schema_is_found(self):
        loose = {"$id": "a.json", "properties": {"x": {"type": "string"}}}
        found = list(self.schemas.loose_parts("a.json", loose, "$"))
        self.assertIn("a.json: $ allows unknown members", found)
        self.assertIn("a.json: $.x has no description", found)


if __name__ == "__main__":
    unittest.main()
