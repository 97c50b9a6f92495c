#!/usr/bin/env python3
"""The training cases of torch's worker over a torch of small tables, which broadcast and wrap at 32 bits.

torch_dropout.py CASES CASE ROWS COLUMNS SEED   CASES is torch_cases.py; prints the bits of the output as
                                                f32, as it is stored, a number a line
"""
import importlib.util
import operator
import struct
import sys
from types import SimpleNamespace


class Table:
    device = "host"

    def __init__(self, rows):
        self.rows = rows
        self.shape = (len(rows), len(rows[0]))

    def __getitem__(self, key):  # of a line of numbers: [:, None] stands up, [None, :] lies
        return Table([[x] for x in self.rows[0]]) if key[0] is not None else self

    def t(self):
        return Table([list(column) for column in zip(*self.rows)])

    def joined(self, other, f):
        if not isinstance(other, Table):
            other = Table([[other]])
        height, width = (max(a, b) for a, b in zip(self.shape, other.shape))
        at = lambda t, i, j: t.rows[i % t.shape[0]][j % t.shape[1]]
        return Table([[f(at(self, i, j), at(other, i, j)) for j in range(width)] for i in range(height)])


def wrapped(value):
    """Integers are int32, everything else is an f32."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return (value + (1 << 31)) % (1 << 32) - (1 << 31)
    return struct.unpack("f", struct.pack("f", value))[0]


for name in ("add", "mul", "xor", "and", "rshift", "lt"):
    f = getattr(operator, name if hasattr(operator, name) else name + "_")
    setattr(Table, "__%s__" % name, lambda a, b, f=f: a.joined(b, lambda x, y: wrapped(f(x, y))))

torch = SimpleNamespace(
    int32=None, nn=SimpleNamespace(functional=None),
    arange=lambda count, dtype, device: Table([list(range(count))]),
    where=lambda mask, yes, no: mask.joined(no, lambda m, x: yes if m else x))

spec = importlib.util.spec_from_file_location("cases", sys.argv[1])
cases = importlib.util.module_from_spec(spec)
spec.loader.exec_module(cases)
case, rows, columns, seed = sys.argv[2], *map(int, sys.argv[3:])
shapes = {"E": (rows, columns), "C": (1, columns), "T": (columns, rows)}
kinds, function = cases.row_cases(torch, seed)[case]
inputs = []
for number, kind in enumerate(kinds):
    height, width = shapes[kind]
    law = "normal" if number == 2 else "far_from_zero"
    inputs.append(Table([[cases.python_value(law, seed, number, i * width + j, columns)
                          for j in range(width)] for i in range(height)]))
for line in function(*inputs).rows:
    for value in line:
        print(struct.unpack("I", struct.pack("f", value))[0])
