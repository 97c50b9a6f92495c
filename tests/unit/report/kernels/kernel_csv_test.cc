#include "strobe/report/kernels/kernel_csv.h"

#include <gmock/gmock.h>

#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;

TEST(KernelCsvTest, a_launch_is_a_line_and_a_counter_a_column) {
  KernelTable table = test::kernel_sketch({{"a,b", 1000, 80, 10}, {"c", 2000, {}, 12.5}});
  table.set(KernelMetric::kL2Bytes, 1, 4096);
  table.grids[0] = {4, 2, 1};
  table.streams = {7, 7};
  EXPECT_EQ(kernel_launch_csv(analysis::study_kernels(table), {}),
            "row,id,name,family,duration_ns,tensor_percent,dram_percent,bound,headroom_ns,is_short,"
            "grid,block,stream,context,device,l2_bytes\n"
            "0,0,\"a,b\",other,1000,80,10,tensor-bound,200,1,4x2x1,,7,,,\n"
            "1,1,c,other,2000,,12.5,,,1,,,7,,,4096\n");
}

TEST(KernelCsvTest, groups_have_one_header_whatever_was_counted) {
  const KernelTable full = test::kernel_sketch({{"a", 1000, 80, 10}, {"a", 3000, 80, 10}});
  const KernelTable bare = test::kernel_sketch({{"a", 1000, {}, {}}});
  const std::string with = kernel_group_csv(analysis::study_kernels(full), {});
  const std::string without = kernel_group_csv(analysis::study_kernels(bare), {});
  EXPECT_EQ(with.substr(0, with.find('\n')), without.substr(0, without.find('\n')));
  EXPECT_THAT(with, HasSubstr("\n,a,other,2,4000,1,1,2000,1000,3000,0.8,0.1,tensor-bound,800,"));
}

}  // namespace
}  // namespace strobe::report
