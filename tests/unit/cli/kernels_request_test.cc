#include "strobe/cli/kernels_request.h"

#include <gmock/gmock.h>

#include "tests/unit/cli/typed.h"

namespace strobe::cli {
namespace {

using analysis::KernelGrouping;
using analysis::KernelOrder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Result<KernelsRequest> read_show_of(const TypedFlags& flags,
                                    const std::vector<std::string>& files = {"k.csv"}) {
  return typed_request(kernels_show_flags, complete_kernels_show, files, flags);
}

Result<KernelsRequest> read_diff_of(const std::vector<std::string>& files) {
  return typed_request(kernels_diff_flags, complete_kernels_diff, files);
}

TEST(KernelsRequestTest, without_flags_the_defaults_hold) {
  const KernelsRequest request = read_show_of({}).value();
  EXPECT_THAT(request.files, ElementsAre("k.csv"));
  EXPECT_EQ(request.format, Format::kText);
  EXPECT_EQ(request.top, 10u);
  EXPECT_FALSE(request.grouping.has_value());
  EXPECT_EQ(request.name_form(), analysis::KernelNameForm::kDetail);
  EXPECT_DOUBLE_EQ(request.study.roofs.dram, 0.9);
  EXPECT_FALSE(request.slower_fails_at.has_value());
}

TEST(KernelsRequestTest, every_flag_reaches_the_request) {
  const KernelsRequest request = read_show_of({{"group", "class"},
                                               {"sort", "headroom"},
                                               {"name", "full"},
                                               {"format", "classic"},
                                               {"top", "3"},
                                               {"chip", "h200"},
                                               {"dram-roof", "93%"},
                                               {"tensor-roof", "0.8"},
                                               {"peak-flops", "790TFLOP/s"},
                                               {"dram-rate", "4.3TB/s"},
                                               {"l2-rate", "7TB/s"},
                                               {"output", "out"}})
                                     .value();
  EXPECT_EQ(request.grouping, KernelGrouping::kBound);
  EXPECT_EQ(request.order, KernelOrder::kHeadroom);
  EXPECT_EQ(request.name_form(), analysis::KernelNameForm::kFull);
  EXPECT_EQ(request.format, Format::kClassic);
  EXPECT_EQ(request.top, 3u);
  EXPECT_EQ(request.study.chip, "h200");
  EXPECT_DOUBLE_EQ(request.study.roofs.dram, 0.93);
  EXPECT_DOUBLE_EQ(request.study.roofs.tensor, 0.8);
  EXPECT_DOUBLE_EQ(request.study.flops.value(), 7.9e14);
  EXPECT_DOUBLE_EQ(request.study.dram_bytes_per_s.value(), 4.3e12);
  EXPECT_DOUBLE_EQ(request.study.l2_bytes_per_s.value(), 7e12);
  EXPECT_EQ(request.output, "out");
}

TEST(KernelsRequestTest, words_of_older_versions_are_still_understood) {
  EXPECT_EQ(read_show_of({{"format", "seed"}})->format, Format::kClassic);
  EXPECT_EQ(read_show_of({{"name", "seed"}})->names, read_show_of({{"name", "classic"}})->names);
  const auto converted =
      typed_request(kernels_convert_flags, complete_kernels_convert, {"k.csv"}, {{"to", "seed"}});
  EXPECT_EQ(converted->format, Format::kClassic);
  EXPECT_THAT(read_show_of({{"format", "sed"}}).error().what, Not(HasSubstr("seed")));
}

TEST(KernelsRequestTest, layers_stand_as_they_ran_unless_told_otherwise) {
  EXPECT_EQ(read_show_of({{"group", "layer"}}).value().order, KernelOrder::kName);
  EXPECT_EQ(read_show_of({{"group", "layer"}, {"sort", "time"}}).value().order, KernelOrder::kTime);
}

TEST(KernelsRequestTest, tools_get_all_rows) {
  EXPECT_EQ(read_show_of({{"format", "json"}}).value().top, 0u);
  EXPECT_EQ(read_show_of({{"top", "all"}}).value().top, 0u);
}

TEST(KernelsRequestTest, an_order_of_csv_lines_is_one_of_groups) {
  EXPECT_FALSE(read_show_of({{"format", "csv"}}).value().grouping);
  EXPECT_EQ(read_show_of({{"format", "csv"}, {"top", "3"}}).value().grouping,
            KernelGrouping::kName);
}

TEST(KernelsRequestTest, an_action_says_how_many_files_it_takes) {
  EXPECT_EQ(typed_request(kernels_fuse_flags, complete_kernels_fuse, {}).error().hint,
            "`strobe kernels fuse kernels.csv`");
  EXPECT_THAT(read_show_of({}, {"a", "b"}).error().hint, HasSubstr("strobe kernels diff"));
  EXPECT_EQ(read_diff_of({"a"}).error().what,
            "`strobe kernels diff` takes two lists of kernels, not 1");
  EXPECT_THAT(read_diff_of({"a", "b"}).value().files, ElementsAre("a", "b"));
  EXPECT_THAT(read_show_of({}, {"-"}).value().files, ElementsAre("/dev/stdin"));
}

TEST(KernelsRequestTest, a_gate_is_a_word_with_or_without_a_limit) {
  EXPECT_DOUBLE_EQ(read_slower_gate("--fail-on", "slower").value(), 0);
  EXPECT_DOUBLE_EQ(read_slower_gate("--fail-on", "slower:5%").value(), 0.05);
  EXPECT_DOUBLE_EQ(read_slower_gate("--fail-on", "slower:150%").value(), 1.5);
  EXPECT_EQ(read_slower_gate("--fail-on", "faster").error().what,
            "'faster' is not a gate of kernels");
  EXPECT_EQ(read_slower_gate("--fail-on", "slower:5").error().what, "'5' is not a percentage");
  EXPECT_EQ(read_slower_gate("--fail-on", "slower:x%").error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace strobe::cli
