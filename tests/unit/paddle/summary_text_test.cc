#include "strobe/paddle/summary_text.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "strobe/trace/trace_builder.h"
#include "tests/unit/paddle/flash_attention_summary.h"
#include "tests/unit/paddle/table_text.h"

namespace strobe::paddle {
namespace {

using analysis::SortKey;
using analysis::Summary;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SummaryTextTest, the_flash_attention_tables_are_reproduced_byte_for_byte) {
  const std::filesystem::path path =
      std::string(STROBE_SOURCE_DIR) + "/../shared/traces/paddle_flash_attn.expected.txt";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no ../shared/traces beside the sources";
  std::ifstream file(path);
  std::stringstream expected;
  expected << file.rdbuf();

  TableOptions options = only(ViewSet()
                                  .with(View::kDevice)
                                  .with(View::kOverview)
                                  .with(View::kOperator)
                                  .with(View::kKernel));
  EXPECT_EQ(summary_text(flash_attention_trace(), flash_attention_summary(), options),
            expected.str());
  options.sort = SortKey::kDeviceTotal;
  EXPECT_EQ(summary_text(flash_attention_trace(), flash_attention_summary(), options),
            expected.str());
}

TEST(SummaryTextTest, an_empty_summary_still_prints_its_two_fixed_tables) {
  const std::string text = summary_text(TraceBuilder().build(), {}, {});
  EXPECT_THAT(text, HasSubstr("Device Summary"));
  EXPECT_THAT(text, HasSubstr("Overview Summary"));
  EXPECT_THAT(text, Not(HasSubstr("Model Summary")));
  EXPECT_THAT(text, Not(HasSubstr("Operator Summary")));
  EXPECT_THAT(text, Not(HasSubstr("nan")));
}

}  // namespace
}  // namespace strobe::paddle
