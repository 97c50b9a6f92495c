#include "strobe/cli/kernels_request.h"

#include <gmock/gmock.h>

namespace strobe::cli {
namespace {

using analysis::KernelGrouping;
using analysis::KernelOrder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Arguments with(const std::vector<std::pair<std::string, std::string>>& flags,
               std::vector<std::string> files = {"k.csv"}) {
  Arguments arguments;
  arguments.positionals = std::move(files);
  for (const auto& [flag, value] : flags) arguments.add(flag, value);
  return arguments;
}

TEST(KernelsRequestTest, without_flags_the_defaults_hold) {
  const KernelsRequest request = read_kernels_request(with({}), "show").value();
  EXPECT_THAT(request.files, ElementsAre("k.csv"));
  EXPECT_EQ(request.format, KernelFormat::kText);
  EXPECT_EQ(request.top, 10u);
  EXPECT_FALSE(request.grouping.has_value());
  EXPECT_EQ(request.name_form(), analysis::KernelNameForm::kDetail);
  EXPECT_DOUBLE_EQ(request.study.roofs.dram, 0.9);
  EXPECT_FALSE(request.slower_fails_at.has_value());
}

TEST(KernelsRequestTest, every_flag_reaches_the_request) {
  const KernelsRequest request = read_kernels_request(with({{"group", "class"},
                                                            {"sort", "headroom"},
                                                            {"name", "full"},
                                                            {"format", "seed"},
                                                            {"top", "3"},
                                                            {"chip", "h200"},
                                                            {"dram-roof", "93%"},
                                                            {"tensor-roof", "0.8"},
                                                            {"peak-flops", "790TFLOP/s"},
                                                            {"dram-rate", "4.3TB/s"},
                                                            {"l2-rate", "7TB/s"},
                                                            {"output", "out"}}),
                                                      "show")
                                     .value();
  EXPECT_EQ(request.grouping, KernelGrouping::kBound);
  EXPECT_EQ(request.order, KernelOrder::kHeadroom);
  EXPECT_EQ(request.name_form(), analysis::KernelNameForm::kFull);
  EXPECT_EQ(request.format, KernelFormat::kSeed);
  EXPECT_EQ(request.top, 3u);
  EXPECT_EQ(request.study.chip, "h200");
  EXPECT_DOUBLE_EQ(request.study.roofs.dram, 0.93);
  EXPECT_DOUBLE_EQ(request.study.roofs.tensor, 0.8);
  EXPECT_DOUBLE_EQ(request.study.flops.value(), 7.9e14);
  EXPECT_DOUBLE_EQ(request.study.dram_bytes_per_s.value(), 4.3e12);
  EXPECT_DOUBLE_EQ(request.study.l2_bytes_per_s.value(), 7e12);
  EXPECT_EQ(request.output, "out");
}

TEST(KernelsRequestTest, layers_stand_as_they_ran_unless_told_otherwise) {
  EXPECT_EQ(read_kernels_request(with({{"group", "layer"}}), "show").value().order,
            KernelOrder::kName);
  EXPECT_EQ(
      read_kernels_request(with({{"group", "layer"}, {"sort", "time"}}), "show").value().order,
      KernelOrder::kTime);
}

TEST(KernelsRequestTest, tools_get_all_rows) {
  EXPECT_EQ(read_kernels_request(with({{"format", "json"}}), "show").value().top, 0u);
  EXPECT_EQ(read_kernels_request(with({{"top", "all"}}), "show").value().top, 0u);
}

TEST(KernelsRequestTest, an_order_of_csv_lines_is_one_of_groups) {
  EXPECT_FALSE(read_kernels_request(with({{"format", "csv"}}), "show").value().grouping);
  EXPECT_EQ(read_kernels_request(with({{"format", "csv"}, {"top", "3"}}), "show").value().grouping,
            KernelGrouping::kName);
}

TEST(KernelsRequestTest, an_action_says_how_many_files_it_takes) {
  EXPECT_EQ(read_kernels_request(with({}, {}), "fuse").error().hint,
            "`strobe kernels fuse kernels.csv`");
  EXPECT_THAT(read_kernels_request(with({}, {"a", "b"}), "show").error().hint,
              HasSubstr("strobe kernels diff"));
  EXPECT_EQ(read_kernels_request(with({}, {"a"}), "diff", 2).error().what,
            "two lists of kernels are compared, not one");
  EXPECT_THAT(read_kernels_request(with({}, {"a", "b"}), "diff", 2).value().files,
              ElementsAre("a", "b"));
  EXPECT_THAT(read_kernels_request(with({}, {"-"}), "show").value().files,
              ElementsAre("/dev/stdin"));
}

TEST(KernelsRequestTest, a_gate_is_a_word_with_or_without_a_limit) {
  EXPECT_DOUBLE_EQ(read_slower_gate("slower").value(), 0);
  EXPECT_DOUBLE_EQ(read_slower_gate("slower:5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(read_slower_gate("slower:150%").value(), 1.5);
  EXPECT_EQ(read_slower_gate("faster").error().what, "'faster' is no gate of kernels");
  EXPECT_EQ(read_slower_gate("slower:5").error().what, "'5' is no percentage");
  EXPECT_EQ(read_slower_gate("slower:x%").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace strobe::cli
