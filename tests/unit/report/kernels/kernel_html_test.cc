#include "strobe/report/kernels/kernel_html.h"

#include <gmock/gmock.h>

#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(KernelHtmlTest, one_file_asks_nobody_for_anything) {
  const KernelTable table = test::layered_sketch();
  const std::string page = kernel_html(analysis::study_kernels(table), {});
  EXPECT_THAT(page, StartsWith("<!doctype html>"));
  EXPECT_THAT(page, Not(HasSubstr("http://")));
  EXPECT_THAT(page, Not(HasSubstr("https://")));
  EXPECT_THAT(page, HasSubstr("<svg"));
  EXPECT_THAT(page, HasSubstr("474 us in 13 launches, "));
  EXPECT_THAT(page, HasSubstr("Kernels by family"));
}

TEST(KernelHtmlTest, names_are_text_everywhere) {
  const KernelTable table = test::kernel_sketch({{"<script>alert(1)</script>", 1000, 50, 50}});
  const std::string page =
      kernel_html(analysis::study_kernels(table), {.names = analysis::KernelNameForm::kFull});
  EXPECT_THAT(page, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert"));
}

}  // namespace
}  // namespace strobe::report
