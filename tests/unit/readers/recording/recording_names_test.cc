#include "strobe/readers/recording/recording_names.h"

#include <gtest/gtest.h>

namespace strobe::readers {
namespace {

TEST(RecordingNamesTest, an_operator_of_torch_is_taken_apart) {
  const RecordedName name =
      parse_recorded_name("aten::mm, seq = 3, op_id = 17, sizes = [[2, 3], [3, 4]]");
  EXPECT_EQ(name.plain, "aten::mm");
  EXPECT_TRUE(name.is_operator);
  EXPECT_EQ(name.sequence_number, 3);
  EXPECT_EQ(name.operator_id, 17);
  EXPECT_EQ(name.sizes, "[[2, 3], [3, 4]]");
  EXPECT_EQ(parse_recorded_name("aten::add_, op_id = 5, input_op_ids = [(1,0), (2,0)]").input_ids,
            "[(1,0), (2,0)]");
}

TEST(RecordingNamesTest, an_operator_with_a_place_in_the_graph_needs_no_namespace) {
  EXPECT_TRUE(parse_recorded_name("AddmmBackward0, seq = 3, op_id = 20").is_operator);
  EXPECT_EQ(parse_recorded_name("AddmmBackward0, seq = 3").plain, "AddmmBackward0");
}

TEST(RecordingNamesTest, a_range_of_the_script_loses_only_its_id) {
  const RecordedName name = parse_recorded_name("Optimizer.step#SGD.step, op_id = 9");
  EXPECT_EQ(name.plain, "Optimizer.step#SGD.step");
  EXPECT_FALSE(name.is_operator);
}

TEST(RecordingNamesTest, other_names_stay_as_they_are) {
  for (const std::string_view text : {"forward", "", "std::sort(a, b)", "aten::looks_like_one",
                                      "batch 3, seq", "a, seq=3", "load, epoch = 3"}) {
    const RecordedName name = parse_recorded_name(text);
    EXPECT_EQ(name.plain, text);
    EXPECT_FALSE(name.is_operator) << text;
  }
}

TEST(RecordingNamesTest, a_sequence_number_may_be_beside_the_name) {
  const RecordedName name = parse_recorded_name("AddBackward0, seq = payload, sizes = [[2]]");
  EXPECT_EQ(name.plain, "AddBackward0");
  EXPECT_TRUE(name.is_operator);
  EXPECT_TRUE(name.sequence_is_payload);
  EXPECT_EQ(name.sequence_number, std::nullopt);
  EXPECT_FALSE(parse_recorded_name("aten::mm, seq = 3").sequence_is_payload);
}

TEST(RecordingNamesTest, a_name_may_contain_commas) {
  const RecordedName name = parse_recorded_name("my::op<int, 3>, with more, seq = 1");
  EXPECT_EQ(name.plain, "my::op<int, 3>, with more");
  EXPECT_EQ(name.sequence_number, 1);
}

TEST(RecordingNamesTest, only_json_becomes_sizes) {
  const auto sizes = [](std::string_view text) {
    return parse_recorded_name("aten::mm, sizes = " + std::string(text)).sizes.size();
  };
  EXPECT_GT(sizes("[]"), 0u);
  EXPECT_GT(sizes("[[1, -2], [], [[3]]]"), 0u);
  for (const std::string_view text : {"", "[", "]", "[1", "[1]]", "[1,]", "[,1]", "[1 2]", "[-]",
                                      "1", "[1] ", "[\"a\"]", "[[1][2]]", "[1],[2]"}) {
    EXPECT_EQ(sizes(text), 0u) << text;
  }
}

TEST(RecordingNamesTest, the_driver_is_told_from_the_runtime) {
  EXPECT_EQ(category_of_call("cudaLaunchKernel"), "cuda_runtime");
  EXPECT_EQ(category_of_call("cuLaunchKernelEx"), "cuda_driver");
  EXPECT_EQ(category_of_call("cu"), "cuda_runtime");
}

}  // namespace
}  // namespace strobe::readers
