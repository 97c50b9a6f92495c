#include "strobe/serve/kernel_answer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "strobe/base/json_value.h"

namespace strobe::serve {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kGemm =
    "ampere_fp16_s16816gemm_fp16_64x128_ldg8_relu_f2f_stages_32x5_tn";
constexpr std::string_view kScale = "scale_kernel";

struct Counted {
  std::optional<double> tensor_percent;
  std::optional<double> dram_percent;
};

void launch(KernelTable& table, std::string_view name, std::int64_t ns, const Counted& counted) {
  const std::size_t row = table.size();
  table.names.push_back(table.strings.intern(name));
  table.durations_ns.push_back(ns);
  table.ids.push_back(static_cast<std::uint32_t>(row));
  table.grids.emplace_back();
  table.blocks.emplace_back();
  const auto& [tensor, dram] = counted;
  if (tensor) table.set(KernelMetric::kTensorPercent, row, *tensor);
  if (dram) table.set(KernelMetric::kDramPercent, row, *dram);
}

KernelTable counted_table() {
  KernelTable table;
  table.source = KernelSource::kWideCsv;
  table.clock_policy = ClockPolicy::kFree;
  table.remarks = {"row 7 was left out"};
  launch(table, kGemm, 60'000, {75, 20});
  launch(table, kScale, 30'000, {0, 45});
  launch(table, kScale, 10'000, {0, 45});
  return table;
}

std::string answer_of(const KernelTable& table, const analysis::StudyOptions& options = {}) {
  std::string text = kernel_answer("a/k.csv", analysis::study_kernels(table, options));
  EXPECT_TRUE(for_each_member(text, [](auto, auto) {})) << text;
  return text;
}

TEST(KernelAnswerTest, kernels_come_by_their_time_with_their_shares) {
  const std::string text = answer_of(counted_table());
  EXPECT_THAT(text, HasSubstr(R"({"source":{"name":"a/k.csv","kind":)"));
  EXPECT_THAT(text, HasSubstr(R"("clock":"free"},"device":null,"chip":null,"chips":[")"));
  EXPECT_THAT(text, HasSubstr(R"("achievable":{"tensor":0.9,"dram":0.9},)"
                              R"("totals":{"launches":3,"latency_ns":100000,"share":1,)"));
  EXPECT_THAT(text, HasSubstr(R"("family":"gemm","bound":"tensor-bound","launches":1,)"
                              R"("latency_ns":60000,"share":0.6,"mean_ns":60000,"least_ns":60000,)"
                              R"("most_ns":60000,"tensor_share":0.75,"dram_share":0.2,)"
                              R"("headroom_ns":15000,)"));
  EXPECT_THAT(text, HasSubstr(R"("full_name":"scale_kernel","family":"other",)"
                              R"("bound":"dram-leaning","launches":2,"latency_ns":40000,)"
                              R"("share":0.4,"mean_ns":20000,"least_ns":10000,"most_ns":30000,)"
                              R"("tensor_share":0,"dram_share":0.45,"headroom_ns":22000,)"
                              R"("achievable_headroom_ns":20000})"));
  EXPECT_THAT(text, HasSubstr(R"("remarks":["row 7 was left out"])"));
}

TEST(KernelAnswerTest, the_device_is_told_as_far_as_it_is_known) {
  KernelTable table = counted_table();
  table.devices = {{.index = 0, .name = "", .capability = "9.0", .sm_count = 0}};
  EXPECT_THAT(answer_of(table), HasSubstr(R"("device":{"name":null,"capability":"9.0",)"
                                          R"("sm_count":null})"));
  table.devices[0].name = "NVIDIA H200";
  table.devices[0].sm_count = 132;
  EXPECT_THAT(answer_of(table), HasSubstr(R"("device":{"name":"NVIDIA H200","capability":"9.0",)"
                                          R"("sm_count":132},"chip":{"name":"H200 SXM",)"));
}

TEST(KernelAnswerTest, points_refer_to_the_kernels_and_know_their_roofs) {
  analysis::StudyOptions options;
  options.flops = 2e14;
  options.dram_bytes_per_s = 1e12;
  const std::string fractions = answer_of(counted_table());
  EXPECT_THAT(fractions, HasSubstr(R"("roofline":{"compute":[],"memory":[],)"
                                   R"("ridge_flop_per_byte":null,"points":[{"kernel":0,)"
                                   R"("launches":1,"latency_ns":60000,"tensor_share":0.75,)"
                                   R"("dram_share":0.2,"flop_per_s":null,)"));
  const std::string measured = answer_of(counted_table(), options);
  EXPECT_THAT(measured, HasSubstr(R"("memory":[{"name":"DRAM","value":1e+12,)"
                                  R"("source":"measured"}],"ridge_flop_per_byte":200,)"));
  EXPECT_THAT(measured, HasSubstr(R"({"kernel":1,"launches":2,"latency_ns":40000,)"));
}

TEST(KernelAnswerTest, what_was_not_counted_is_null_and_never_zero) {
  KernelTable table;
  table.source = KernelSource::kTrace;
  launch(table, kGemm, 60'000, {});
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("bound":"unknown","launches":1,"latency_ns":60000,"share":1,)"
                              R"("mean_ns":60000,"least_ns":60000,"most_ns":60000,)"
                              R"("tensor_share":null,"dram_share":null,"headroom_ns":null,)"
                              R"("achievable_headroom_ns":null})"));
}

TEST(KernelAnswerTest, layers_and_neighbours_to_fuse_come_with_their_times) {
  KernelTable table;
  launch(table, "start", 1'000, {0, 10});
  for (int layer = 0; layer < 3; ++layer) {
    launch(table, "layer_norm", 5'000, {0, 10});
    launch(table, "mask", 20'000, {0, 40});
    launch(table, kGemm, 60'000, {75, 20});
  }
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("layers":{"prologue_launches":1,"layers":3,)"
                              R"("launches_per_layer":3,"epilogue_launches":0,)"));
  EXPECT_THAT(text, HasSubstr(R"("layer_ns":[85000,85000,85000],"odd_layers":[])"));
  EXPECT_THAT(text, HasSubstr(R"("launches_per_run":2,"first_launch":4,"latency_ns":50000,)"
                              R"("saved_ns":10000,)"));
  EXPECT_THAT(text, HasSubstr(R"("names":["layer_norm","mask"],"names_left_out":0)"));
  EXPECT_THAT(answer_of(counted_table()), HasSubstr(R"("layers":null)"));
}

TEST(KernelAnswerTest, long_lists_are_cut_and_say_so) {
  KernelTable table;
  for (int i = 0; i < 5003; ++i) launch(table, "kernel_" + std::to_string(i), 10'000 - i, {});
  const std::string text = answer_of(table);
  EXPECT_THAT(text, HasSubstr(R"("kernels_left_out":3,)"));
  EXPECT_THAT(text, Not(HasSubstr(R"("full_name":"kernel_5000")")));
  EXPECT_THAT(text, Not(HasSubstr(R"("kernel":5000,)")));
  EXPECT_THAT(text, HasSubstr(R"("names_left_out":4939)"));
}

}  // namespace
}  // namespace strobe::serve
