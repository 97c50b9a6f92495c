#include "strobe/record/sampler/series_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_recording.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Sample = HostRecording::Sample;

constexpr SeriesOwner kThreadOwner = {wire::SeriesOf::kThread, 17, 18};

TEST(SeriesWriter, defines_a_series_with_its_first_value) {
  HostRecording recording;
  SeriesWriter out(recording.log());
  Series series = {.metric = "on_cpu_pct", .scale = -1};
  EXPECT_THAT(recording.all_series(), IsEmpty());
  out.put(kThreadOwner, series, 5, 125);
  out.put(kThreadOwner, series, 6, 125);
  const auto all = recording.all_series();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].of, wire::SeriesOf::kThread);
  EXPECT_EQ(all[0].process, 17);
  EXPECT_EQ(all[0].thread, 18);
  EXPECT_EQ(all[0].metric, "on_cpu_pct");
  EXPECT_EQ(all[0].key, "");
  EXPECT_EQ(all[0].scale, -1);
  EXPECT_THAT(all[0].samples, ElementsAre(Sample{5, 125}, Sample{6, 125}));
}

TEST(SeriesWriter, writes_a_state_when_it_changes) {
  HostRecording recording;
  SeriesWriter out(recording.log());
  Series series = {.metric = "core"};
  std::int64_t time_ns = 0;
  for (const std::int64_t value : {0, 0, 3, 3, 0}) {
    out.put_change(kThreadOwner, series, ++time_ns, value);
  }
  EXPECT_THAT(recording.samples("core", 17, 18),
              ElementsAre(Sample{1, 0}, Sample{3, 3}, Sample{5, 0}));
}

TEST(SeriesWriter, ends_an_activity_with_one_zero) {
  HostRecording recording;
  SeriesWriter out(recording.log());
  Series series = {.metric = "on_cpu_pct"};
  std::int64_t time_ns = 0;
  for (const std::int64_t value : {0, 0, 7, 7, 0, 0, 0, 2}) {
    out.put_activity(kThreadOwner, series, ++time_ns, value);
  }
  EXPECT_THAT(recording.samples("on_cpu_pct", 17, 18),
              ElementsAre(Sample{3, 7}, Sample{4, 7}, Sample{5, 0}, Sample{8, 2}));
}

TEST(SeriesWriter, starts_again_with_the_file) {
  const testing::TemporaryFolder folder;
  HostRecording recording;
  SeriesWriter out(recording.log());
  Series series = {.metric = "core"};
  Series other = {.metric = "page_faults"};
  out.put_change(kThreadOwner, series, 1, 3);
  out.put_change(kThreadOwner, other, 1, 4);
  recording.log().flush();
  ASSERT_TRUE(recording.writer().next_file((folder / "next").string()));
  recording.log().restart();
  out.restart();
  EXPECT_EQ(out.part(), 2u);
  out.put_change(kThreadOwner, other, 2, 4);  // unchanged, and the first of its file
  out.put_change(kThreadOwner, series, 2, 3);
  recording.log().flush();
  const std::string bytes = testing::bytes_of(folder / "next");
  EXPECT_NE(bytes.find("page_faults"), std::string::npos);
  EXPECT_NE(bytes.find("core"), std::string::npos);
}

TEST(SeriesWriter, an_owner_with_the_number_of_one_that_ended_has_its_own_series) {
  HostRecording recording;
  SeriesWriter out(recording.log());
  Series old = {.metric = "core"};
  out.put(kThreadOwner, old, 1, 3);
  out.forget(kThreadOwner);
  Series next = {.metric = "core"};
  out.put(kThreadOwner, next, 2, 3);
  const auto all = recording.all_series();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_THAT(all[0].samples, ElementsAre(Sample{1, 3}));
  EXPECT_THAT(all[1].samples, ElementsAre(Sample{2, 3}));
}

TEST(SeriesWriter, writes_names) {
  HostRecording recording;
  SeriesWriter out(recording.log());
  out.process(17, 3, "python3", false);
  out.process(99, 1, "make", true);
  out.thread(18, "worker");
  EXPECT_THAT(recording.processes(), IsEmpty());
  out.flush_names();
  out.flush_names();
  EXPECT_THAT(recording.processes(), ElementsAre(HostRecording::Process{17, 3, "python3", false},
                                                 HostRecording::Process{99, 1, "make", true}));
  EXPECT_THAT(recording.threads(), ElementsAre(HostRecording::Thread{18, "worker"}));
}

TEST(TenthsOfPercent, are_rounded) {
  EXPECT_EQ(tenths_of_percent(1, 3), 333);
  EXPECT_EQ(tenths_of_percent(2, 3), 667);
  EXPECT_EQ(tenths_of_percent(5, 5), 1000);
  EXPECT_EQ(tenths_of_percent(10, 5), 2000);
  EXPECT_EQ(tenths_of_percent(1, 0), 0);
}

}  // namespace
}  // namespace strobe::record
