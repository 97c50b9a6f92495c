#include "strobe/tensorboard/recommendations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string advice(const TraceLines& lines, std::string_view header = "") {
  auto profile = read_profile(lines.text(header));
  EXPECT_TRUE(profile);
  return recommendations(**profile);
}

constexpr std::string_view kVolta =
    R"("deviceProperties":[{"totalGlobalMem":1000,"computeMajor":7,"computeMinor":0}],)";

TEST(RecommendationsTest, nothing_to_say_is_said_too) {
  EXPECT_EQ(advice(TraceLines().op("a", 0, 10)), "<ul><li>N/A</li></ul>");
}

TEST(RecommendationsTest, slow_input_is_noticed_from_one_twentieth_of_the_step_on) {
  const auto loading = [](double us) {
    return TraceLines().op("all", 0, 100).op("enumerate(DataPipe)#x", 0, us);
  };
  EXPECT_THAT(advice(loading(5)), Not(HasSubstr("input")));
  EXPECT_THAT(advice(loading(6)), HasSubstr("6.0%"));
}

TEST(RecommendationsTest, idle_devices_are_listed_as_the_plugin_joined_them) {
  EXPECT_EQ(joined_ids({0}), "0");
  EXPECT_EQ(joined_ids({0, 1}), "0and 1");
  EXPECT_EQ(joined_ids({0, 1, 2}), "0, 1and 2");
  EXPECT_THAT(advice(TraceLines().op("a", 0, 100).x("kernel", "k", 0, 10, R"("device":3)")),
              HasSubstr("<li>GPU 3 has low utilization. "));
  EXPECT_THAT(advice(TraceLines().op("a", 0, 100).x("kernel", "k", 0, 10, R"("device":10)")),
              HasSubstr("<li>GPU 10 have low utilization. "));
}

TEST(RecommendationsTest, tensor_cores_are_recommended_where_they_exist_and_none_is_used) {
  TraceLines lines;
  lines.launch("aten::mm", 0, 100, "sgemm", 0, 90);
  EXPECT_THAT(advice(lines, kVolta), HasSubstr("100%"));
  EXPECT_THAT(advice(lines), Not(HasSubstr("Tensor Cores")));
  EXPECT_THAT(advice(lines.launch("aten::mm", 0, 100, "h884", 0, 90), kVolta),
              Not(HasSubstr("Tensor Cores")));
}

TEST(RecommendationsTest, communication_alone_could_not_use_tensor_cores) {
  TraceLines lines;
  lines.op("gloo:broadcast", 0, 10, R"("External id":2)")
      .op("aten::mm", 20, 80, R"("External id":1)")
      .x("cuda_runtime", "cudaLaunchKernel", 21, 1, R"("External id":1,"correlation":1)")
      .x("kernel", "broadcast", 30, 60, R"("External id":2,"correlation":1,"device":0)");
  EXPECT_THAT(advice(lines, kVolta), Not(HasSubstr("Tensor Cores")));
}

TEST(RecommendationsTest, data_parallel_matters_on_several_devices_only) {
  TraceLines lines;
  lines.op("DataParallel.forward", 0, 100).x("kernel", "k", 0, 90, "", "7", "0");
  EXPECT_THAT(advice(lines), Not(HasSubstr("DistributedDataParallel")));
  EXPECT_THAT(advice(lines.x("kernel", "k", 0, 90, "", "7", "1")),
              HasSubstr("DistributedDataParallel"));
}

TEST(RecommendationsTest, ddp_without_nccl_is_noticed) {
  TraceLines lines;
  lines.op("DistributedDataParallel.forward", 0, 100);
  EXPECT_THAT(advice(lines, kVolta), HasSubstr("NCCL"));
  EXPECT_THAT(advice(lines.op("nccl:all_reduce", 10, 1), kVolta), Not(HasSubstr("NCCL")));
}

TEST(RecommendationsTest, much_communication_is_noticed) {
  EXPECT_THAT(advice(TraceLines().op("a", 0, 100).op("gloo:all_reduce", 0, 20)),
              HasSubstr("20.0%"));
}

// The CPU's device id is -1, which in Python means the last device of the list.
TEST(RecommendationsTest, full_memory_is_noticed_once_and_the_cpu_is_taken_for_the_last_device) {
  const auto peak = [](int type, int id, int allocated) {
    TraceLines lines;
    lines.op("a", 0, 100)
        .memory(5, 1, 10, type, id, R"(,"Total Allocated":)" + std::to_string(allocated));
    return lines;
  };
  EXPECT_THAT(advice(peak(1, 0, 900), kVolta), Not(HasSubstr("nearly full")));
  EXPECT_THAT(advice(peak(1, 0, 901), kVolta), HasSubstr("Device 0 is nearly full"));
  EXPECT_THAT(advice(peak(0, -1, 901), kVolta), HasSubstr("Device -1 is nearly full"));
  EXPECT_THAT(advice(peak(1, 4, 901), kVolta), Not(HasSubstr("nearly full")));
}

}  // namespace
}  // namespace strobe::tensorboard
