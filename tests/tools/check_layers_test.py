"""tools/check_layers accepts a clean tree and names each kind of violation."""
import unittest

from tree import ToolTest


class CheckLayersTest(ToolTest):
    tool = "check_layers"

    def test_a_tree_that_goes_downwards_passes(self):
        self.write("src/strobe/base/id.h", "#pragma once\n")
        self.write("src/strobe/trace/trace.cc", '#include "strobe/base/id.h"\n')
        self.write("tests/unit/trace/trace_test.cc", "")
        self.assert_passes()

    def test_cli_may_open_traces(self):
        self.write("src/strobe/cli/a.h", '#include "strobe/readers/trace_reader.h"\n')
        self.assert_passes()

    def test_an_include_that_goes_upwards_is_named_with_its_line(self):
        self.write("src/strobe/base/id.h", '#pragma once\n#include "strobe/trace/trace.h"\n')
        self.assert_fails('src/strobe/base/id.h:2: #include "strobe/trace/trace.h"',
                          "trace is above base")

    def test_neighbours_do_not_know_each_other(self):
        self.write("src/strobe/report/a.h", '#include "strobe/paddle/b.h"\n')
        self.assert_fails("report and paddle are neighbours")

    def test_report_never_sees_readers(self):
        self.write("src/strobe/report/a.h", '#include "strobe/readers/trace_reader.h"\n')
        self.assert_fails("only cli and serve open trace files")

    def test_compare_does_not_open_traces_although_it_stands_above_readers(self):
        self.write("src/strobe/compare/a.h", '#include "strobe/readers/trace_reader.h"\n')
        self.assert_fails("only cli and serve open trace files")

    def test_injected_code_sees_base_and_wire_only(self):
        self.write("src/strobe/record/inject/a.h", '#include "strobe/trace/trace.h"\n')
        self.assert_fails("record/inject sees base and wire only")

    def test_a_folder_outside_the_picture_is_refused(self):
        self.write("src/strobe/engine/a.h", "")
        self.assert_fails("'engine' is no folder of the picture")

    def test_an_include_relative_to_its_folder_is_refused(self):
        self.write("src/strobe/base/a.h", '#include "id.h"\n')
        self.assert_fails('own headers are included as "strobe/<folder>/<file>"')

    def test_a_source_without_its_twin_is_named(self):
        self.write("src/strobe/base/id.cc", "")
        self.assert_fails("src/strobe/base/id.cc: no twin tests/unit/base/id_test.cc")

    def test_another_test_may_speak_for_a_source_if_it_exists(self):
        self.write("src/strobe/base/id.cc", "")
        self.write("tools/twins.txt", "base/id.cc  tests/unit/base/all_test.cc  # reason\n")
        self.assert_fails("tests/unit/base/all_test.cc does not exist")
        self.write("tests/unit/base/all_test.cc", "")
        self.assert_passes()

    def test_the_list_of_twins_holds_nothing_stale(self):
        self.write("src/strobe/base/id.cc", "")
        self.write("tests/unit/base/id_test.cc", "")
        self.write("tools/twins.txt", "base/id.cc  tests/unit\nbase/gone.cc  tests/unit\n")
        self.assert_fails("base/id.cc has a twin of its own", "base/gone.cc does not exist")


if __name__ == "__main__":
    unittest.main()
