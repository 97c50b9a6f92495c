#include "strobe/record/sampler/foreign_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"
#include "tests/unit/record/sampler/host_recording.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;
using Sample = HostRecording::Sample;

constexpr std::int64_t kSecond_ns = 1'000'000'000;

// Scans of an invented machine on which process 10 is recorded.
struct ForeignScans {
  HostFolder host;
  HostRecording recording;
  HostAccess access = host.access();
  SeriesWriter out{recording.log()};
  ForeignProcesses foreign{access, out};
  std::int64_t now_s = 0;

  void process(pid_t id, const std::string& name, std::int64_t cpu_ms) const {
    host.process(id, {.name = name, .parent = 2});
    host.clock(id, cpu_ms * 1'000'000);
  }
  // In ticks of 10 ms since the start.
  void busy(int ticks) const {
    host.write("proc/stat", fmt::format("cpu  {} 0 0 {} 0 0 0 0\n", ticks, 100'000 - ticks));
  }
  void scan(std::int64_t own_cpu_ms = 0) {
    foreign.scan(
        ++now_s * kSecond_ns, [](pid_t process) { return process == 10; }, own_cpu_ms * 1'000'000);
  }
  std::vector<Sample> usage_of(const std::string& key) {
    return recording.samples("foreign_process_cpu_usage", 0, 0, key);
  }
};

TEST(ForeignProcesses, the_largest_are_named) {
  ForeignScans run;
  run.process(10, "python3", 0);
  run.process(20, "make", 100);
  run.process(21, "idle", 70);
  run.scan();
  EXPECT_THAT(run.recording.all_series(), IsEmpty());
  run.process(10, "python3", 900);
  run.process(20, "make", 600);
  run.process(21, "idle", 75);  // half a percent: not worth a name
  run.scan(900);
  EXPECT_THAT(run.recording.samples("foreign_cpu_usage"), ElementsAre(Sample{2 * kSecond_ns, 505}));
  EXPECT_THAT(run.usage_of("make (20)"), ElementsAre(Sample{2 * kSecond_ns, 500}));
  EXPECT_THAT(run.recording.processes(), ElementsAre(HostRecording::Process{20, 2, "make", true}));
  EXPECT_THAT(run.recording.all_series(), SizeIs(2));
}

TEST(ForeignProcesses, no_more_than_five_are_named_at_a_time) {
  ForeignScans run;
  for (int round = 0; round < 2; ++round) {
    for (pid_t id = 20; id < 27; ++id) run.process(id, "p", round * id * 10);
    run.scan();
  }
  std::vector<std::string> keys;
  for (const auto& series : run.recording.all_series()) {
    if (series.metric == "foreign_process_cpu_usage") keys.push_back(series.key);
  }
  EXPECT_THAT(keys, UnorderedElementsAre("p (22)", "p (23)", "p (24)", "p (25)", "p (26)"));
  // All seven are part of the sum.
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(1610));
}

TEST(ForeignProcesses, one_that_is_no_longer_large_has_one_more_value) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.process(21, "cc", 0);
  run.scan();
  run.process(20, "make", 300);
  run.process(21, "cc", 400);
  run.scan();
  run.process(20, "make", 303);
  run.host.end(21);
  run.host.clock(21, 0);
  run.scan();
  run.scan();
  EXPECT_THAT(run.usage_of("make (20)"),
              ElementsAre(Sample{2 * kSecond_ns, 300}, Sample{3 * kSecond_ns, 3}));
  EXPECT_THAT(run.usage_of("cc (21)"),
              ElementsAre(Sample{2 * kSecond_ns, 400}, Sample{3 * kSecond_ns, 0}));
}

TEST(ForeignProcesses, one_that_just_appeared_is_not_accused) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.scan();
  run.process(33, "python3", 800);  // may well be a child of the program
  run.scan();
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(0));
  run.process(33, "python3", 1000);
  run.scan();
  EXPECT_THAT(run.usage_of("python3 (33)"), ElementsAre(Sample{3 * kSecond_ns, 200}));
}

TEST(ForeignProcesses, another_process_with_an_old_number_has_its_own_series) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.scan();
  run.process(20, "make", 500);
  run.scan();
  run.host.process(20, {.name = "cc", .parent = 7, .start_ticks = 900});
  run.host.clock(20, 100 * 1'000'000);  // less than before: it is new
  run.scan();
  run.host.clock(20, 700 * 1'000'000);
  run.scan();
  EXPECT_THAT(run.usage_of("cc (20)"), ElementsAre(Sample{4 * kSecond_ns, 600}));
  EXPECT_THAT(run.recording.processes(), ElementsAre(HostRecording::Process{20, 2, "make", true},
                                                     HostRecording::Process{20, 7, "cc", true}));
}

TEST(ForeignProcesses, work_that_no_process_explains_is_part_of_the_sum) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.busy(0);
  run.scan(0);
  run.process(20, "make", 200);
  run.busy(150);  // 1500 ms: 400 own, 200 of make, 900 of what came and went
  run.scan(400);
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(1100));
}

TEST(ForeignProcesses, a_few_ticks_that_no_process_explains_are_not) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.busy(0);
  run.scan(0);
  run.process(20, "make", 200);
  run.busy(75);  // 750 ms: 137 more than is known; up to 137.5 may be an error
  run.scan(413);
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(200));
}

TEST(ForeignProcesses, have_ticks_where_they_have_no_clock) {
  ForeignScans run;
  run.host.process(20, {.name = "make", .user_ticks = 5});
  run.scan();
  run.host.process(20, {.name = "make", .user_ticks = 5, .system_ticks = 25});
  run.scan();
  EXPECT_THAT(run.usage_of("make (20)"), ElementsAre(Sample{2 * kSecond_ns, 250}));
}

TEST(ForeignProcesses, are_compared_with_nothing_after_a_break) {
  ForeignScans run;
  run.process(20, "make", 0);
  run.scan();
  run.foreign.forget();
  run.process(20, "make", 5000);
  run.scan();
  EXPECT_THAT(run.recording.all_series(), IsEmpty());
}

TEST(ForeignProcesses, names_can_be_hidden) {
  ForeignScans run;
  run.access.shown_name = [](std::string_view) { return std::string("x1"); };
  run.process(20, "secret", 0);
  run.scan();
  run.process(20, "secret", 500);
  run.scan();
  EXPECT_THAT(run.usage_of("x1 (20)"), SizeIs(1));
  EXPECT_THAT(run.recording.processes(), ElementsAre(HostRecording::Process{20, 2, "x1", true}));
}

}  // namespace
}  // namespace strobe::record
