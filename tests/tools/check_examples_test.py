"""tools/check_examples accepts what is true and names what is not."""
import unittest

from tree import ToolTest


class CheckExamplesTest(ToolTest):
    tool = "check_examples"

    def readme(self, *lines):
        self.write("README.md", "\n".join(["# a", "```console", *lines, "```", ""]))

    def test_what_is_printed_as_shown_passes(self):
        self.readme("$ printf 'a\\nb\\n'", "a", "b", "$ true")
        self.assertIn("2 commands, 0 failed", self.assert_passes())

    def test_three_dots_stand_for_any_lines(self):
        self.readme("$ seq 9", "1", "...", "9")
        self.assert_passes()

    def test_a_different_line_is_shown_as_a_difference(self):
        self.readme("$ echo b", "a")
        self.assert_fails("README.md:3: $ echo b", "-a", "+b")

    def test_a_line_too_many_is_a_difference(self):
        self.readme("$ seq 2", "1")
        self.assert_fails("+2")

    def test_a_command_that_fails_is_named_unless_its_exit_code_is_shown(self):
        self.readme("$ exit 3")
        self.assert_fails("ended with 3, not 0")
        self.readme("$ exit 3", "[exit 3]")
        self.assert_passes()

    def test_blocks_in_other_languages_are_left_alone(self):
        self.write("README.md", "```sh\n$ false\n```\n")
        self.assertIn("0 commands", self.assert_passes())


if __name__ == "__main__":
    unittest.main()
