#include "strobe/base/error_text.h"

#include <gtest/gtest.h>

namespace strobe {
namespace {

TEST(ErrorTextTest, a_sentence_says_where_and_what_in_the_words_of_its_kind) {
  EXPECT_EQ(error_sentence({ErrorCode::kNotFound, "it is a directory", "x", "unused"}),
            "cannot read 'x': it is a directory");
  EXPECT_EQ(error_sentence({ErrorCode::kTooLittleData, "it contains no events", "x", ""}),
            "too little data in 'x': it contains no events");
  EXPECT_EQ(error_sentence({ErrorCode::kCannotWrite, "no space", "x", ""}),
            "cannot write 'x': no space");
  EXPECT_EQ(error_sentence({ErrorCode::kInvalidArgument, "must be positive", "--top", ""}),
            "--top: must be positive");
  EXPECT_EQ(error_sentence({ErrorCode::kInterrupted, "interrupted", "", ""}), "interrupted");
}

}  // namespace
}  // namespace strobe
