#include "strobe/report/kernels/kernel_launch_table.h"

#include <gmock/gmock.h>

#include "strobe/report/render/render_markdown.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

TEST(KernelLaunchTableTest, launches_stand_in_the_order_they_ran) {
  const KernelTable table =
      test::kernel_sketch({{"long_one", 2000, 80, 10}, {"short_one", 1000, {}, {}}});
  EXPECT_THAT(render_markdown(kernel_launch_document(analysis::study_kernels(table), {})),
              ::testing::HasSubstr("| 0 | `long_one` | 2.00 us | 80.0 % | 10.0 % | tensor-bound |\n"
                                   "| 1 | `short_one` | 1.00 us | - | - | - |\n"));
}

}  // namespace
}  // namespace strobe::report
