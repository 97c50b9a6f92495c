#include "strobe/cli/terminal.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TerminalFacts a_terminal() {
  TerminalFacts facts;
  facts.stdout_is_terminal = true;
  facts.stderr_is_terminal = true;
  facts.stdout_columns = 132;
  facts.term = "xterm";
  facts.locale = "en_US.UTF-8";
  return facts;
}

TEST(TerminalTest, a_terminal_gets_colour_its_width_and_progress) {
  const Terminal terminal = judge(a_terminal(), ColorChoice::kAuto);
  EXPECT_TRUE(terminal.color);
  EXPECT_TRUE(terminal.color_error);
  EXPECT_TRUE(terminal.unicode);
  EXPECT_TRUE(terminal.shows_progress());
  EXPECT_EQ(terminal.columns, 132);
}

TEST(TerminalTest, a_pipe_gets_neither_colour_nor_progress) {
  const Terminal terminal = judge(TerminalFacts{}, ColorChoice::kAuto);
  EXPECT_FALSE(terminal.color);
  EXPECT_FALSE(terminal.shows_progress());
  EXPECT_EQ(terminal.columns, Terminal::kColumnsOfAFile);
}

TEST(TerminalTest, stdout_in_a_file_leaves_the_colours_of_stderr_alone) {
  TerminalFacts facts = a_terminal();
  facts.stdout_is_terminal = false;
  const Terminal terminal = judge(facts, ColorChoice::kAuto);
  EXPECT_FALSE(terminal.color);
  EXPECT_TRUE(terminal.color_error);
}

TEST(TerminalTest, no_color_and_a_dumb_terminal_are_obeyed) {
  TerminalFacts facts = a_terminal();
  facts.no_color = "1";
  EXPECT_FALSE(judge(facts, ColorChoice::kAuto).color);
  facts.no_color = "";
  facts.term = "dumb";
  EXPECT_FALSE(judge(facts, ColorChoice::kAuto).color);
}

TEST(TerminalTest, what_the_person_types_beats_the_environment) {
  TerminalFacts facts = a_terminal();
  EXPECT_FALSE(judge(facts, ColorChoice::kNever).color);
  facts.no_color = "1";
  facts.stdout_is_terminal = false;
  EXPECT_TRUE(judge(facts, ColorChoice::kAlways).color);
}

TEST(TerminalTest, columns_is_obeyed_when_it_is_a_number_and_kept_within_reason) {
  TerminalFacts facts = a_terminal();
  facts.columns = "90";
  EXPECT_EQ(judge(facts, ColorChoice::kAuto).columns, 90);
  facts.columns = "wide";
  EXPECT_EQ(judge(facts, ColorChoice::kAuto).columns, 132);
  facts.columns = "-5";
  EXPECT_EQ(judge(facts, ColorChoice::kAuto).columns, 132);
  facts.columns = "3";
  EXPECT_EQ(judge(facts, ColorChoice::kAuto).columns, 40);
  facts.columns = "99999999";
  EXPECT_EQ(judge(facts, ColorChoice::kAuto).columns, 1000);
}

TEST(TerminalTest, only_a_utf8_locale_gets_more_than_ascii) {
  TerminalFacts facts = a_terminal();
  for (const char* locale : {"C", "POSIX", "", "de_DE.ISO-8859-1"}) {
    facts.locale = locale;
    EXPECT_FALSE(judge(facts, ColorChoice::kAuto).unicode) << locale;
  }
  for (const char* locale : {"C.UTF-8", "zh_CN.utf8"}) {
    facts.locale = locale;
    EXPECT_TRUE(judge(facts, ColorChoice::kAuto).unicode) << locale;
  }
}

}  // namespace
}  // namespace strobe::cli
