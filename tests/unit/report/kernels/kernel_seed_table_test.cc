#include "strobe/report/kernels/kernel_seed_table.h"

#include <gmock/gmock.h>

#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

std::string seed_of(const KernelTable& table) {
  return kernel_seed_table(analysis::study_kernels(table));
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

}  // namespace
}  // namespace strobe::report
