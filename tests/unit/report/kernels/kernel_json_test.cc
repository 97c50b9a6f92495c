#include "strobe/report/kernels/kernel_json.h"

#include <gmock/gmock.h>
#include <simdjson.h>

#include "tests/unit/report/kernels/launch_list.h"

namespace strobe::report {
namespace {

using simdjson::dom::element;

class KernelJsonTest : public ::testing::Test {
 protected:
  element parsed(const KernelTable& table, const KernelPage& page = {}) {
    text_ = kernel_json(analysis::study_kernels(table), page);
    return parser_.parse(text_);
  }

  simdjson::dom::parser parser_;
  std::string text_;
};

TEST_F(KernelJsonTest, sums_are_exact_and_percentages_have_four_decimals) {
  const KernelTable table = test::kernel_sketch({{"gemm", 10'000, 80, 10}, {"add", 20'000, 1, 70}});
  const element json = parsed(table);
  EXPECT_EQ(std::string_view(json["schema"]), "strobe.kernels");
  EXPECT_EQ(std::int64_t(json["version"]), 1);
  const element totals = json["totals"];
  EXPECT_EQ(std::int64_t(totals["latency_ns"]), 30'000);
  EXPECT_EQ(std::int64_t(totals["tensor_ns_x100"]), 820'000);    // 10 x 80 + 20 x 1
  EXPECT_EQ(std::int64_t(totals["headroom_ns_x100"]), 800'000);  // 10 x 20 + 20 x 30
  EXPECT_EQ(double(totals["headroom_share_pct"]), 26.6667);
  EXPECT_EQ(double(json["families"]["gemm"]["share_pct"]), 33.3333);
  EXPECT_EQ(double(json["names"]["add"]["mean_ns"]), 20'000);
  EXPECT_EQ(std::int64_t(json["classes"]["dram-bound"]["launches"]), 1);
}

TEST_F(KernelJsonTest, what_was_not_counted_is_null_and_no_metric) {
  const element json = parsed(test::kernel_sketch({{"gemm", 10'000, {}, {}}}));
  EXPECT_TRUE(json["totals"]["tensor_ns_x100"].is_null());
  EXPECT_TRUE(json["totals"]["headroom_share_pct"].is_null());
  EXPECT_TRUE(json["structure"].is_null());
  EXPECT_EQ(json["kernels"].at(0)["metrics"].get_object().size(), 0u);
}

TEST_F(KernelJsonTest, a_launch_has_all_the_table_has) {
  KernelTable table = test::kernel_sketch({{"void gemm<4>(float*)", 10'000, 80.5, {}}});
  table.grids[0] = {4, 2, 1};
  table.streams = {7};
  table.mangled_names = {table.strings.intern("_Z4gemmILi4EEvPf")};
  const element launch = parsed(table)["kernels"].at(0);
  EXPECT_EQ(std::string_view(launch["name"]), "void gemm<4>(float*)");
  EXPECT_EQ(std::string_view(launch["mangled"]), "_Z4gemmILi4EEvPf");
  EXPECT_EQ(std::int64_t(launch["grid"].at(1)), 2);
  EXPECT_EQ(std::int64_t(launch["stream"]), 7);
  EXPECT_EQ(double(launch["metrics"]["tensor_percent"]), 80.5);
  EXPECT_EQ(launch["block"].error(), simdjson::NO_SUCH_FIELD);
}

TEST_F(KernelJsonTest, layers_and_their_positions) {
  const element json = parsed(test::layered_sketch());
  EXPECT_EQ(std::int64_t(json["structure"]["layers"]), 2);
  EXPECT_EQ(std::int64_t(json["structure"]["rows_per_layer"]), 6);
  EXPECT_EQ(json["layer_positions"].get_array().size(), 6u);
  EXPECT_EQ(std::string_view(json["layer_positions"].at(0)["name"]), "layer_norm_kernel");
  EXPECT_EQ(std::int64_t(json["fusion_runs"]["runs"]), 3);
}

}  // namespace
}  // namespace strobe::report
