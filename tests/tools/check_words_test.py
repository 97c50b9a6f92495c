"""tools/check_words accepts a clean tree and names each kind of violation."""
import unittest

from tree import ToolTest


class CheckWordsTest(ToolTest):
    tool = "check_words"

    def test_a_clean_tree_passes(self):
        self.write("src/strobe/trace/trace.h", "// one capture\n")
        self.write("src/strobe/readers/kineto.h", "// kineto, cuda\n")
        self.assert_passes()

    def test_a_vendor_word_in_a_shared_folder_is_named_with_its_line(self):
        self.write("src/strobe/analysis/steps/steps.cc", "\nbool is_cudaMemcpy;\n")
        self.assert_fails("src/strobe/analysis/steps/steps.cc:2:", "vendors stop at the door of analysis")

    def test_a_vendor_word_in_a_file_name_counts_too(self):
        self.write("src/strobe/report/paddle_table.h", "")
        self.assert_fails("src/strobe/report/paddle_table.h: vendors stop at the door")

    def test_a_name_that_says_nothing_is_refused(self):
        self.write("src/strobe/base/util.h", "")
        self.write("tests/common/a.cc", "")
        self.assert_fails("'util' says nothing", "'common' says nothing")

    def test_a_namespace_that_says_nothing_is_refused(self):
        self.write("src/strobe/base/a.h", "name" + "space strobe::helpers {\n")
        self.assert_fails("this namespace says nothing")

    def test_a_file_over_600_lines_is_refused_and_one_over_500_is_mentioned(self):
        self.write("src/strobe/base/long.cc", "int x;\n" * 601)
        self.write("src/strobe/base/longish.cc", "int x;\n" * 501)
        self.assert_fails("long.cc: 601 lines", "warning: src/strobe/base/longish.cc: 501 lines")

    def test_a_reason_at_the_head_silences_the_mention(self):
        self.write("src/strobe/base/longish.cc", "// Long because a table.\n" * 501)
        self.assertNotIn("warning", self.assert_passes())

    def test_a_path_of_a_machine_is_refused_in_documents_too(self):
        self.write("docs/a.md", "see /" + "home/me/trace.json\n")
        self.assert_fails("docs/a.md:1:", "a path of one machine")

    def test_a_note_to_oneself_is_refused(self):
        self.write("src/strobe/base/a.cc", "// TO" + "DO later\n")
        self.assert_fails("a note to oneself")

    def test_a_name_in_two_anonymous_namespaces_of_a_folder_is_refused(self):
        body = "namespace strobe {\nnamespace {\n%s\n}\n}\n"
        self.write("src/strobe/base/a.cc", body % "constexpr int kMost = 1;\nint first(int x) { return x; }")
        self.write("src/strobe/base/room/b.cc", body % "int first(long y) { if (y) { return 1; } return 2; }")
        self.write("src/strobe/trace/c.cc", body % "constexpr int kMost = 2;")
        output = self.assert_fails("'first' is defined in base/a.cc, base/room/b.cc")
        self.assertNotIn("kMost", output)

    def test_types_and_aliases_are_names_too(self):
        body = "namespace {\nstruct Row { int a; };\nusing Rows = int;\nusing std::size_t;\n}\n"
        self.write("src/strobe/base/a.cc", body)
        self.write("src/strobe/base/b.cc", body)
        output = self.assert_fails("'Row' is defined in", "'Rows' is defined in")
        self.assertNotIn("size_t", output)


if __name__ == "__main__":
    unittest.main()
