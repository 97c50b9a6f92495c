"""Names of kernels are found in every kind of recording."""
import gzip
import json
import subprocess
import sys
import unittest

from tree import TOOLS, ToolTest


class KernelNamesTest(ToolTest):
    def collect(self):
        target = self.root / "names.txt"
        subprocess.run([sys.executable, TOOLS / "kernel_names", self.root / "data", "--list", target],
                       check=True, capture_output=True, timeout=60)
        return target.read_text(encoding="utf-8").splitlines()

    def write_trace(self, name, document):
        path = self.root / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(json.dumps(document).encode()))

    def test_traces_of_both_spellings(self):
        self.write_trace("a.json.gz", {"traceEvents": [{"cat": "kernel", "name": "gemm<4>(int)"},
                                                       {"cat": "cpu_op", "name": "aten::mm"},
                                                       {"ph": "M"}]})
        self.write_trace("b.json.gz", [{"cat": "Kernel", "name": "softmax[12.345 us]"}])
        self.assertEqual(self.collect(), ["gemm<4>(int)", "softmax"])

    def test_tables_behind_a_tools_talk(self):
        self.write("data/rows.csv", '==PROF== talk\n"ID","Kernel Name"\n"0","f(int, int)"\n')
        self.write("data/list.csv", 'device,name\nA100,"g<1, 2>"\n')
        self.write("data/numbers.csv", "a,b\n1,2\n")
        self.write("data/classic.txt", "Kernel   Latency Tensor DRAM\nKernel  |  10  0.10  0.20\n")
        self.assertEqual(self.collect(), ["Kernel", "f(int, int)", "g<1, 2>"])

    def test_names_that_were_listed_stay(self):
        self.write("names.txt", "old\n")
        self.write("data/list.csv", "device,name\nA100,new\n")
        self.assertEqual(self.collect(), ["new", "old"])


if __name__ == "__main__":
    unittest.main()
