#include "strobe/cli/message.h"

#include <gtest/gtest.h>

namespace strobe::cli {
namespace {

TEST(MessageTest, an_error_names_the_file_and_what_to_try) {
  const Error error{ErrorCode::kMalformed, "this is a report, not its export", "run7.rep",
                    "export it first"};
  EXPECT_EQ(error_text(error),
            "strobe: cannot read 'run7.rep': this is a report, not its export\n"
            "  hint: export it first\n");
}

TEST(MessageTest, the_code_chooses_the_verb_of_the_sentence) {
  EXPECT_EQ(error_text({ErrorCode::kCannotWrite, "the disk is full", "out.txt", ""}),
            "strobe: cannot write 'out.txt': the disk is full\n");
  EXPECT_EQ(error_text({ErrorCode::kInvalidArgument, "'x' is no number", "--top", ""}),
            "strobe: --top: 'x' is no number\n");
  EXPECT_EQ(error_text({ErrorCode::kInterrupted, "interrupted", "", ""}), "strobe: interrupted\n");
}

TEST(MessageTest, a_file_name_cannot_speak_to_the_terminal) {
  const Error error{ErrorCode::kNotFound, "no such file", "evil\x1b[2J\nname", ""};
  EXPECT_EQ(error_text(error), "strobe: cannot read 'evil\\x1b[2J\\nname': no such file\n");
}

TEST(MessageTest, colour_touches_only_the_first_word) {
  EXPECT_EQ(warning_text("a lost event", true), "strobe: \x1b[1;33mwarning:\x1b[0m a lost event\n");
  EXPECT_EQ(warning_text("a lost event"), "strobe: warning: a lost event\n");
}

}  // namespace
}  // namespace strobe::cli
