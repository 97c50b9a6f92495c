#include "strobe/fleet/replay/replay.h"

#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/json_value.h"
#include "tests/support/needs_shared.h"

namespace strobe::fleet {
namespace {

const std::string kStudy = STROBE_SOURCE_DIR "/../shared/data/stragglers/";

// The published answers were stored with 24 bits.
constexpr double kStored = 2e-6;

// The published answers of a job, and ours beside them.
class Published {
 public:
  Published(const std::string& job, Replay ours)
      : text_(read_text(kStudy + "result-" + job + ".json.zst").value()), ours_(std::move(ours)) {}

  void expect_equal() {
    for (const ReplayedStep& step : ours_.steps) {
      const std::string name = std::to_string(step.step);
      expect_near(number("step_t_base", name), step.base_s, "base of " + name);
      expect_near(number("step_t_nodelay", name), step.nodelay_s, "nodelay of " + name);
      expect_near(number("step_t_noblk", name), step.ideal_s, "ideal of " + name);
      expect_near(number("launch_step_slowdown", name), step.base_s / step.nodelay_s, name);
      expect_near(number("blocking_step_slowdown", name), step.nodelay_s / step.ideal_s, name);
    }
    EXPECT_EQ(members("step_t_base"), ours_.steps.size());
    expect_near(number("launch_slowdown"), ours_.delay_slowdown(), "delays");
    expect_near(number("blocking_slowdown"), ours_.straggler_slowdown(), "stragglers");
    expect_parts("optype", ours_.kinds);
    expect_parts("dp_rank", ours_.data_ranks);
    expect_parts("stage", ours_.stages);
    EXPECT_GT(compared_, 100u);
  }

 private:
  JsonValue value(std::string_view key) const { return find(text_, key); }
  double number(std::string_view key) const { return value(key).as_double().value_or(NAN); }
  double number(std::string_view key, std::string_view inner) const {
    return find(value(key).text, inner).as_double().value_or(NAN);
  }
  std::size_t members(std::string_view key) const {
    std::size_t count = 0;
    for_each_member(value(key).text, [&](std::string_view, const JsonValue&) { ++count; });
    return count;
  }

  void expect_near(double published, double ours, const std::string& what) {
    EXPECT_NEAR(ours / published, 1, kStored) << what << ": " << ours << " for " << published;
    ++compared_;
  }

  void expect_parts(const std::string& by, const std::vector<PartReplay>& parts) {
    const std::string key = "blocking_decompose_by_" + by;
    EXPECT_EQ(members(key), parts.size());
    for (const PartReplay& part : parts) {
      expect_near(number(key, part.name), part.slowdown, part.name);
      for (std::size_t i = 0; i < ours_.steps.size(); ++i) {
        const std::string step = std::to_string(ours_.steps[i].step);
        const JsonValue in_step = find(value(key + "_per_step").text, step);
        expect_near(find(in_step.text, part.name).as_double().value_or(NAN), part.by_step[i],
                    fmt::format("{} in step {}", part.name, step));
      }
    }
  }

  std::string text_;
  Replay ours_;
  std::size_t compared_ = 0;
};

void expect_workers(const std::string& file, const WorkersReplay& ours, const Replay& replay) {
  const std::string text = read_text(kStudy + file).value();
  const auto expect = [&](std::string_view key, double value) {
    const double published = find(text, key).as_double().value_or(NAN);
    EXPECT_NEAR(value / published, 1, kStored * 10) << file << ": " << key;
  };
  expect("trem", ours.repaired_s);
  expect("tadd", ours.only_they_s);
  expect("tori", replay.nodelay_s);
  expect("tideal", replay.ideal_s);
  expect("rem", ours.saved_share);
  expect("add", ours.caused_share);
}

class PublishedJobTest : public ::testing::TestWithParam<const char*> {};

TEST_P(PublishedJobTest, every_published_number_is_reproduced) {
  STROBE_NEEDS_SHARED();
  const std::string job = GetParam();
  const auto table = read_operation_table(kStudy + "ops-" + job + ".csv.gz");
  ASSERT_TRUE(table) << table.error().what;
  const auto ours = replay(*table);
  ASSERT_TRUE(ours) << ours.error().what;
  Published(job, *ours).expect_equal();
  expect_workers("mw-" + job + ".json", ours->worst_workers, *ours);
  expect_workers("ms-" + job + ".json", ours->last_stage, *ours);
}

INSTANTIATE_TEST_SUITE_P(, PublishedJobTest, ::testing::Values("ST", "SE"));

}  // namespace
}  // namespace strobe::fleet
