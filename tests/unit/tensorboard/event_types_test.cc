#include "strobe/tensorboard/event_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tensorboard/view_desk.h"

namespace strobe::tensorboard {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Events settled(const std::string& json, ProfileOptions options = {}) {
  auto raw = read_events(json);
  EXPECT_TRUE(raw);
  if (options.variant == Variant::kByContent) options.variant = Variant::kGpu;
  return settle(std::move(*raw), options);
}

std::vector<std::string> described(const Events& events) {
  std::vector<std::string> lines;
  for (const Event& event : events.all) {
    lines.push_back(std::string(type_name(event.type)) + " " +
                    std::string(events.text(event.name)));
  }
  return lines;
}

TEST(EventTypesTest, events_come_by_time_and_equal_times_in_file_order) {
  EXPECT_THAT(described(settled(TraceLines().op("c", 5, 1).op("a", 1, 9).op("b", 1, 1).text())),
              ElementsAre("Operator a", "Operator b", "Operator c"));
}

TEST(EventTypesTest, device_side_copies_of_steps_count_only_when_asked_for) {
  const std::string json =
      TraceLines().step(5, 1, 9).x("gpu_user_annotation", "ProfilerStep#5", 2, 9).text();
  EXPECT_THAT(described(settled(json)), ElementsAre("ProfilerStep ProfilerStep#5"));
  EXPECT_THAT(described(settled(json, {.device_steps = true})),
              ElementsAre("ProfilerStep ProfilerStep#5", "ProfilerStep ProfilerStep#5"));
}

TEST(EventTypesTest, driver_calls_launch_only_when_asked_to) {
  const std::string json = TraceLines().x("cuda_driver", "cuLaunchKernel", 1, 1).text();
  EXPECT_THAT(described(settled(json)), ElementsAre());
  EXPECT_THAT(described(settled(json, {.driver_launches = true})),
              ElementsAre("Runtime cuLaunchKernel"));
}

TEST(EventTypesTest, a_frame_with_a_module_id_is_a_module) {
  EXPECT_THAT(described(settled(
                  TraceLines().frame("f", 1, 9, 1, "null").frame("m", 2, 3, 2, "1", "0").text())),
              ElementsAre("python_function f", "Module m"));
}

TEST(EventTypesTest, lightning_names_its_profile_and_modules_in_operators) {
  const std::string json = TraceLines()
                               .op("[pl][profile]run_training", 1, 9)
                               .op("[pl][module]torch.nn.Linear: net.fc", 2, 3)
                               .frame("f", 3, 1, 1, "null")
                               .text(R"("Framework":"pytorch-lightning",)");
  EXPECT_THAT(described(settled(json)), ElementsAre("pl_profile run_training", "pl_module net.fc"));
}

TEST(EventTypesTest, an_operator_whose_thread_is_no_number_is_skipped) {
  EXPECT_THAT(described(settled(TraceLines()
                                    .op("a", 1, 1, "", "\"main\"")
                                    .op("b", 2, 1, "", "\"12\"")
                                    .x("gpu_user_annotation", "c", 3, 1, "", "\"stream 7\"")
                                    .text())),
              ElementsAre("Operator b", "user_annotation c"));
}

TEST(EventTypesTest, flows_are_tied_by_id_and_the_last_of_each_id_wins) {
  const auto flow = [](const char* phase, int id, int ts) {
    return R"({"ph":")" + std::string(phase) + R"(","cat":"fwdbwd","id":)" + std::to_string(id) +
           R"(,"ts":)" + std::to_string(ts) + "}";
  };
  const Events events = settled(TraceLines()
                                    .line(flow("s", 2, 20))
                                    .line(flow("s", 1, 10))
                                    .line(flow("f", 1, 90))
                                    .line(flow("f", 2, 70))
                                    .line(flow("f", 2, 80))
                                    .line(flow("s", 3, 30))
                                    .text());
  EXPECT_THAT(events.forward_backward, ElementsAre(Pair(Number::whole(20), Number::whole(80)),
                                                   Pair(Number::whole(10), Number::whole(90))));
}

TEST(EventTypesTest, a_variant_is_known_by_its_categories_and_arguments) {
  const auto variant = [](const TraceLines& lines) {
    return variant_of(*read_events(lines.text()));
  };
  EXPECT_EQ(variant(TraceLines().x("kernel", "k", 1, 1)), Variant::kGpu);
  EXPECT_EQ(variant(TraceLines().x("mlu_memcpy", "m", 1, 1)), Variant::kMluB);
  EXPECT_EQ(variant(TraceLines().x("kernel", "k", 1, 1, R"("kernel type":"UNION1")")),
            Variant::kMluA);
}

}  // namespace
}  // namespace strobe::tensorboard
