#include "strobe/report/kernels/kernel_launches.h"

#include <gmock/gmock.h>

#include "strobe/report/render/render.h"
#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using ::testing::HasSubstr;

TEST(KernelLaunchTableTest, launches_stand_in_the_order_they_ran) {
  const KernelTable table =
      test::kernel_sketch({{"long_one", 2000, 80, 10}, {"short_one", 1000, {}, {}}});
  EXPECT_THAT(render_markdown(kernel_launch_document(analysis::study_kernels(table), {})),
              ::testing::HasSubstr("| 0 | `long_one` | 2.00 us | 80.0 % | 10.0 % | tensor-bound |\n"
                                   "| 1 | `short_one` | 1.00 us | - | - | - |\n"));
}

std::string seed_of(const KernelTable& table) {
  return kernel_classic_table(analysis::study_kernels(table));
}

TEST(KernelSeedTableTest, a_row_has_76_columns) {
  EXPECT_EQ(seed_of(test::kernel_sketch({{"elementwise_kernel", 4192, 0, 57}})),
            "Kernel                                                 Latency Tensor   DRAM\n"
            "elementwise_kernel                                |       4192   0.00   0.57\n");
}

TEST(KernelSeedTableTest, a_name_of_50_stays_and_a_longer_one_is_cut_to_47) {
  const std::string fifty(50, 'a');
  const std::string text = seed_of(test::kernel_sketch({{fifty, 1, 0, 0}, {fifty + "b", 1, 0, 0}}));
  EXPECT_THAT(text, ::testing::HasSubstr("\n" + fifty + "|          1"));
  EXPECT_THAT(text, ::testing::HasSubstr("\n" + std::string(47, 'a') + "...|          1"));
}

TEST(KernelSeedTableTest, what_was_not_counted_is_a_dash_and_not_a_zero) {
  EXPECT_THAT(seed_of(test::kernel_sketch({{"k", 100, {}, {}}, {"k", 100, 0, {}}})),
              ::testing::AllOf(::testing::HasSubstr("|        100      -      -\n"),
                               ::testing::HasSubstr("|        100   0.00      -\n")));
}

TEST(KernelSeedTableTest, characters_are_never_cut_in_two) {
  std::string name;
  for (int i = 0; i < 60; ++i) name += "é";
  const std::string text = seed_of(test::kernel_sketch({{name, 1, 0, 0}}));
  std::string cut;
  for (int i = 0; i < 47; ++i) cut += "é";
  EXPECT_THAT(text, ::testing::HasSubstr("\n" + cut + "...|"));
}

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
  EXPECT_THAT(
      with,
      HasSubstr(
          "\n,a,other,2,4000,1,time of all launches,1,time of all launches,2000,1000,3000,0.8,"
          "peak of the matrix pipe,0.1,peak DRAM rate,tensor-bound,800,"));
}

}  // namespace

}  // namespace strobe::report
