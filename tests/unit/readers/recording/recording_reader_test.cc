#include "strobe/readers/recording/recording_reader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <string>

#include "strobe/readers/metric_samples.h"
#include "strobe/readers/trace_reader.h"
#include "tests/support/run_file_sketch.h"
#include "tests/support/temporary_folder.h"

namespace strobe::readers {
namespace {

namespace fs = std::filesystem;
using test::RunFileSketch;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::put_bytes;
using testing::TemporaryFolder;
using wire::SeriesOf;

// A range, a launch inside of it, and its kernel.
void sketch_training(RunFileSketch& run) {
  const auto main = run.thread(21, "main");
  run.range(main, "forward", 1000, 100)
      .call(main, "cudaLaunchKernel", 1010, 10, 7)
      .work(run.kernel_shape("gemm"), 1050, 500, 7);
}

void sketch_samples(const fs::path& path) {
  RunFileSketch run(path);
  run.fact("recorder", "5").fact("host", "here").fact("finished", "1");
  run.listed_process(17, 5, "python3").listed_process(18, 17, "loader");
  run.sample(run.series(SeriesOf::kMachine, 0, 0, "host_load"), 100, 1)
      .sample(run.series(SeriesOf::kDevice, 0, 0, "gpu_usage"), 100, 90);
  const auto parent = run.series(SeriesOf::kProcess, 17, 0, "process_cpu_usage");
  const auto child = run.series(SeriesOf::kProcess, 18, 0, "process_cpu_usage");
  run.sample(parent, 100, 80).sample(child, 100, 15).sample(parent, 200, 70);
  run.sample(run.series(SeriesOf::kThread, 17, 21, "core"), 100, 3);
  run.wait(17, 21, 1020, 5, 99, "cc1");
}

TEST(RecordingReaderTest, a_process_becomes_a_trace) {
  const std::string bytes = test::run_file_bytes([](RunFileSketch& run) {
    run.process(17).fact("clock", "5000").fact("rank", "1");
    sketch_training(run);
  });
  const auto loaded = read_trace_bytes(bytes, "process-17.strobe");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->path, "process-17.strobe");
  const Trace& trace = loaded->trace;
  EXPECT_THAT(trace.slices().kinds,
              ElementsAre(SliceKind::kForward, SliceKind::kRuntimeCall, SliceKind::kKernel));
  EXPECT_EQ(trace.slices().correlations[1], trace.slices().correlations[2]);
  EXPECT_EQ(trace.extent(), (Interval{1000, 1550}));
  EXPECT_EQ(trace.metadata().base_time_ns, 5000);
  EXPECT_EQ(trace.metadata().distributed.rank, 1);
  EXPECT_TRUE(loaded->report.is_clean());
  EXPECT_EQ(loaded->report.event_count, 3u);
  EXPECT_EQ((loaded->report.events.at({'X', "kernel"})), 1u);
  EXPECT_EQ(loaded->report.file_bytes, bytes.size());
}

TEST(RecordingReaderTest, samples_come_from_the_file_beside_it) {
  const TemporaryFolder folder;
  {
    RunFileSketch run(folder / "process-17.strobe");
    run.process(17).fact("recorder", "5").fact("host", "here");
    sketch_training(run);
  }
  sketch_samples(folder / "host-5.strobe");
  const auto loaded = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(loaded);
  const Trace& trace = loaded->trace;
  EXPECT_EQ(trace.counters().size(), 6u);
  EXPECT_EQ(trace.slice_count(), 4u) << "and the wait for a core";
  EXPECT_EQ(trace.extent(), (Interval{1000, 1550}));
  const std::vector<MetricSeries> series = counter_series(trace);
  ASSERT_EQ(series.size(), 3u) << "the thread's is none";
  EXPECT_EQ(series[0].device, "GPU 0");
  EXPECT_EQ(series[2].device, "Host");
  EXPECT_EQ(series[2].metric, "process_cpu_usage");
  EXPECT_THAT(series[2].values, ElementsAre(95, 70)) << "a child that has ended uses nothing";
}

TEST(RecordingReaderTest, a_process_with_a_trace_of_its_own_keeps_its_samples) {
  const TemporaryFolder folder;
  for (const std::int64_t process : {17, 18}) {
    RunFileSketch run(folder / ("process-" + std::to_string(process) + ".strobe"));
    run.process(process).fact("recorder", "5").fact("host", "here");
    sketch_training(run);
  }
  sketch_samples(folder / "host-5.strobe");
  const auto parent = read_trace(folder / "process-17.strobe");
  const auto child = read_trace(folder / "process-18.strobe");
  ASSERT_TRUE(parent && child);
  EXPECT_EQ(parent->trace.counters().size(), 5u);
  EXPECT_EQ(child->trace.counters().size(), 3u) << "its own, the machine's and the device's";
}

TEST(RecordingReaderTest, samples_of_another_machine_are_left_out) {
  const TemporaryFolder folder;
  {
    RunFileSketch run(folder / "process-17.strobe");
    run.process(17).fact("recorder", "5").fact("host", "elsewhere");
    sketch_training(run);
  }
  sketch_samples(folder / "host-5.strobe");
  const auto loaded = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.counters().size(), 0u);
}

TEST(RecordingReaderTest, another_recorder_on_the_machine_has_devices_but_not_the_process) {
  const TemporaryFolder folder;
  {
    RunFileSketch run(folder / "process-17.strobe");
    run.process(17).fact("recorder", "6").fact("host", "here");
    sketch_training(run);
  }
  sketch_samples(folder / "host-5.strobe");
  {
    RunFileSketch run(folder / "host-6.strobe");
    run.fact("recorder", "6").fact("host", "here").fact("finished", "1");
    run.sample(run.series(SeriesOf::kProcess, 17, 0, "process_rss_bytes"), 100, 1);
  }
  const auto loaded = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.counters().size(), 3u);
}

TEST(RecordingReaderTest, a_run_without_a_device_is_the_trace_of_its_samples) {
  const TemporaryFolder folder;
  sketch_samples(folder / "host-5.strobe");
  put_bytes(folder / "run.json", R"({"strobe_run":1,"recordings":[{"recorder":5,"sources":[
      {"name":"gpu_work","state":"missing","why":"there is no GPU"}]}]})");
  const auto loaded = read_trace(folder.path());
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->trace.counters().size(), 6u);
  EXPECT_EQ(loaded->trace.slice_count(), 1u);
  EXPECT_EQ(loaded->trace.extent().length_ns(), 0) << "a condition is not the program's time";
  EXPECT_EQ(loaded->report[ImportIssue::kSourceMissing].examples[0].detail,
            "gpu_work: there is no GPU");
  EXPECT_TRUE(loaded->report.is_clean());
}

TEST(RecordingReaderTest, a_folder_with_one_process_is_a_trace_and_one_with_two_is_not) {
  const TemporaryFolder folder;
  {
    RunFileSketch run(folder / "process-17.strobe");
    run.process(17);
    sketch_training(run);
  }
  EXPECT_TRUE(read_trace(folder.path()));
  {
    RunFileSketch run(folder / "process-18.strobe");
    run.process(18);
    sketch_training(run);
  }
  const auto several = read_trace(folder.path());
  ASSERT_FALSE(several);
  EXPECT_THAT(several.error().what, HasSubstr("'process-17.strobe', 'process-18.strobe'"));
}

TEST(RecordingReaderTest, folders_without_files_are_explained) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "1");
  put_bytes(folder / "1" / "run.json", R"({"strobe_run":1,"recordings":[]})");
  EXPECT_THAT(read_trace(folder.path()).error().what, HasSubstr("a run in '1'"));
  EXPECT_THAT(read_trace(folder / "1").error().what, HasSubstr("no files yet"));
}

TEST(RecordingReaderTest, a_recording_in_progress_gives_what_is_there) {
  const TemporaryFolder folder;
  RunFileSketch run(folder / "process-17.strobe");
  run.fact("process", "17");
  sketch_training(run);
  const auto early = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(early);
  EXPECT_EQ(early->trace.slice_count(), 3u);
  EXPECT_EQ(early->report[ImportIssue::kUnfinishedRecording].count, 1u);
  run.work(0, 2000, 5, 0).fact("finished", "1");
  const auto late = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->trace.slice_count(), 4u);
  EXPECT_TRUE(late->report.is_clean());
}

TEST(RecordingReaderTest, half_a_file_of_samples_does_not_cut_off_the_trace) {
  const TemporaryFolder folder;
  {
    RunFileSketch run(folder / "process-17.strobe");
    run.process(17).fact("recorder", "5");
    sketch_training(run);
  }
  sketch_samples(folder / "host-5.strobe");
  const std::string whole = testing::bytes_of(folder / "host-5.strobe");
  put_bytes(folder / "host-5.strobe", whole.substr(0, whole.size() - 3));
  const auto loaded = read_trace(folder / "process-17.strobe");
  ASSERT_TRUE(loaded);
  EXPECT_FALSE(loaded->report.is_cut_off());
  EXPECT_EQ(loaded->report[ImportIssue::kDamagedChunk].examples[0].detail, "host-5.strobe");
}

TEST(RecordingReaderTest, too_many_events_are_refused_and_cancelling_works) {
  const std::string bytes = test::run_file_bytes(sketch_training);
  const auto refused = read_trace_bytes(bytes, "run", {.most_events = 2});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("more than 2 events"));
  const std::atomic<bool> cancelled = true;
  const auto ended = read_trace_bytes(bytes, "run", {.cancelled = &cancelled});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, ErrorCode::kInterrupted);
}

TEST(RecordingReaderTest, progress_reaches_the_end) {
  const std::string bytes = test::run_file_bytes(sketch_training);
  LoadProgress last;
  ASSERT_TRUE(
      read_trace_bytes(bytes, "run", {.progress = [&](const LoadProgress& now) { last = now; }}));
  EXPECT_EQ(last.bytes_done, bytes.size());
  EXPECT_EQ(last.bytes_total, bytes.size());
}

TEST(RecordingReaderTest, an_empty_recording_has_no_events) {
  const auto loaded =
      read_trace_bytes(test::run_file_bytes([](RunFileSketch& run) { run.process(17); }), "run");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->report[ImportIssue::kNoEvents].count, 1u);
}

}  // namespace
}  // namespace strobe::readers
