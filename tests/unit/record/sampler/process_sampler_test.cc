#include "strobe/record/sampler/process_sampler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"
#include "tests/unit/record/sampler/host_recording.h"

namespace strobe::record {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Sample = HostRecording::Sample;

constexpr std::int64_t kMs_ns = 1'000'000;

// A sampler of the process 10 of an invented machine.
class ProcessSampling {
 public:
  HostFolder host;
  HostRecording recording;

  void follow() {
    tree_.refresh();
    sampler.follow(tree_);
  }

 private:
  HostAccess access_ = host.access();
  SeriesWriter out_{recording.log()};
  ProcessTree tree_{host.proc(), 10};

 public:
  ProcessSampler sampler{access_, out_};
};

TEST(ThreadTimes, are_shares_of_the_time_since_the_last_sample) {
  ProcessSampling run;
  run.host.process(10, {.threads = 2});
  run.host.thread(10, 12);
  run.host.times(10, 10, 1000, 500);
  run.host.times(10, 12, 7 * kMs_ns, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.host.times(10, 10, 1000 + 25 * kMs_ns, 500 + 10 * kMs_ns, 2);
  run.host.times(10, 12, 7 * kMs_ns + 123'456, 0, 2);
  run.sampler.sample_times(50 * kMs_ns);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), ElementsAre(Sample{50 * kMs_ns, 500}));
  EXPECT_THAT(run.recording.samples("waiting_for_core_pct", 10, 10),
              ElementsAre(Sample{50 * kMs_ns, 200}));
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 12), ElementsAre(Sample{50 * kMs_ns, 2}));
  EXPECT_THAT(run.recording.samples("waiting_for_core_pct", 10, 12), IsEmpty());
  EXPECT_THAT(
      run.recording.samples("schedstat_oncpu_ns", 10),
      ElementsAre(Sample{0, 1000 + 7 * kMs_ns}, Sample{50 * kMs_ns, 1000 + 32 * kMs_ns + 123'456}));
  EXPECT_THAT(run.recording.samples("schedstat_runq_ns", 10),
              ElementsAre(Sample{0, 500}, Sample{50 * kMs_ns, 500 + 10 * kMs_ns}));
  for (const auto& series : run.recording.all_series()) {
    EXPECT_EQ(series.scale, series.metric.ends_with("_pct") ? -1 : 0) << series.metric;
  }
}

TEST(ThreadTimes, of_a_thread_that_does_nothing_are_not_written) {
  ProcessSampling run;
  run.host.process(10);
  run.host.times(10, 10, 5 * kMs_ns, 0);
  run.follow();
  for (int i = 0; i < 4; ++i) run.sampler.sample_times(i * 50 * kMs_ns);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), IsEmpty());
  run.host.times(10, 10, 10 * kMs_ns, 0);
  for (int i = 4; i < 8; ++i) run.sampler.sample_times(i * 50 * kMs_ns);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10),
              ElementsAre(Sample{200 * kMs_ns, 100}, Sample{250 * kMs_ns, 0}));
}

TEST(ThreadTimes, a_wait_that_is_counted_at_its_end_is_spread_over_samples) {
  ProcessSampling run;
  run.host.process(10);
  run.host.times(10, 10, 0, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.host.times(10, 10, 0, 120 * kMs_ns);
  for (int i = 1; i < 6; ++i) run.sampler.sample_times(i * 50 * kMs_ns);
  EXPECT_THAT(run.recording.values("waiting_for_core_pct", 10, 10),
              ElementsAre(1000, 1000, 400, 0));
}

TEST(ThreadTimes, of_a_process_whose_clock_stands_still_are_not_read) {
  ProcessSampling run;
  run.host.process(10);
  run.host.clock(10, 100);
  run.host.times(10, 10, 5 * kMs_ns, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.host.times(10, 10, 10 * kMs_ns, 0);  // cannot be: the clock does not show it
  run.sampler.sample_times(50 * kMs_ns);
  run.sampler.sample_times(100 * kMs_ns);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), IsEmpty());
  run.host.clock(10, 200);
  run.sampler.sample_times(150 * kMs_ns);
  // The time without a look counts as seen.
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), ElementsAre(Sample{150 * kMs_ns, 100}));
}

TEST(ThreadTimes, of_threads_that_ended_stay_in_the_sum) {
  ProcessSampling run;
  run.host.process(10, {.threads = 2});
  run.host.thread(10, 11);
  run.host.times(10, 10, 100, 1);
  run.host.times(10, 11, 200, 2);
  run.follow();
  run.sampler.sample_times(0);
  EXPECT_THAT(run.sampler.threads(), ElementsAre(ThreadOfTree{10, 10}, ThreadOfTree{10, 11}));
  run.host.process(10, {.threads = 1});
  run.host.remove("proc/10/task/11");
  run.follow();
  EXPECT_EQ(run.sampler.thread_count(), 1u);
  run.host.times(10, 10, 150, 1, 2);
  run.sampler.sample_times(50 * kMs_ns);
  EXPECT_THAT(run.recording.values("schedstat_oncpu_ns", 10), ElementsAre(300, 350));
  EXPECT_THAT(run.recording.values("schedstat_runq_ns", 10), ElementsAre(3));
}

TEST(ThreadTimes, a_thread_that_vanishes_between_two_looks_is_let_go) {
  ProcessSampling run;
  run.host.process(10, {.threads = 3});
  for (const pid_t thread : {11, 12}) {
    run.host.thread(10, thread);
    run.host.times(10, thread, 200, 2);
  }
  run.host.times(10, 10, 100, 1);
  run.follow();
  run.sampler.sample_times(0);
  // As a read of /proc/<pid>/task/<tid> fails when the thread is gone.
  run.host.write("proc/10/task/11/schedstat", "");
  run.host.write("proc/10/task/11/stat", "");
  run.host.times(10, 12, 300, 2, 2);
  run.sampler.sample_times(50 * kMs_ns);
  EXPECT_THAT(run.sampler.threads(), ElementsAre(ThreadOfTree{10, 10}, ThreadOfTree{10, 12}));
  EXPECT_THAT(run.recording.values("schedstat_oncpu_ns", 10), ElementsAre(500, 600));
}

TEST(ThreadTimes, of_a_new_thread_with_an_old_number_start_again) {
  ProcessSampling run;
  run.host.process(10);
  run.host.times(10, 10, 40 * kMs_ns, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.host.times(10, 10, 5 * kMs_ns, 0, 2);
  run.sampler.sample_times(50 * kMs_ns);
  run.host.times(10, 10, 15 * kMs_ns, 0, 3);
  run.sampler.sample_times(100 * kMs_ns);
  EXPECT_THAT(run.recording.values("on_cpu_pct", 10, 10), ElementsAre(200));
  EXPECT_THAT(run.recording.values("schedstat_oncpu_ns", 10),
              ElementsAre(40 * kMs_ns, 45 * kMs_ns, 55 * kMs_ns));
}

// How often a series of a metric was defined.
std::size_t definitions_of(HostRecording& recording, std::string_view metric, pid_t process,
                           pid_t thread) {
  std::size_t count = 0;
  for (const HostRecording::Series& series : recording.all_series()) {
    count += series.metric == metric && series.process == process && series.thread == thread;
  }
  return count;
}

TEST(ThreadTimes, of_a_thread_that_comes_back_under_its_old_number_are_another_series) {
  ProcessSampling run;
  run.host.process(10, {.threads = 2});
  run.host.times(10, 10, 0, 0);
  for (int round = 0; round < 2; ++round) {
    run.host.process(10, {.threads = 2});
    run.host.thread(10, 11);
    run.host.times(10, 11, 0, 0);
    run.follow();
    run.sampler.sample_times(100 * round * kMs_ns);
    run.host.times(10, 11, 5 * kMs_ns, 0, 2);
    run.sampler.sample_times((100 * round + 50) * kMs_ns);
    run.host.process(10, {.threads = 1});
    run.host.remove("proc/10/task/11");
    run.follow();
  }
  EXPECT_EQ(definitions_of(run.recording, "on_cpu_pct", 10, 11), 2u);
  EXPECT_THAT(run.recording.values("on_cpu_pct", 10, 11), ElementsAre(100, 100));
  EXPECT_EQ(definitions_of(run.recording, "schedstat_oncpu_ns", 10, 0), 1u);
}

TEST(ThreadTimes, come_from_ticks_where_the_kernel_counts_nothing_else) {
  for (const bool has_file : {false, true}) {
    ProcessSampling run;
    run.host.process(10, {.user_ticks = 3, .core = 1});
    if (has_file) run.host.times(10, 10, 0, 0, 0);
    run.follow();
    for (int i = 0; i < 2; ++i) {
      run.sampler.sample_times(i * 250 * kMs_ns);
      run.sampler.sample_threads(i * 250 * kMs_ns);
    }
    run.host.process(10, {.user_ticks = 8, .system_ticks = 5, .core = 1});
    run.sampler.sample_times(500 * kMs_ns);
    run.sampler.sample_threads(500 * kMs_ns);
    run.sampler.sample_times(750 * kMs_ns);
    run.sampler.sample_threads(750 * kMs_ns);
    EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10),
                ElementsAre(Sample{500 * kMs_ns, 400}, Sample{750 * kMs_ns, 0}))
        << has_file;
    EXPECT_THAT(run.recording.samples("core", 10, 10), ElementsAre(Sample{500 * kMs_ns, 1}));
    EXPECT_THAT(run.recording.samples("waiting_for_core_pct", 10, 10), IsEmpty());
    const auto notes = run.recording.notes();
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_THAT(notes[0].text, HasSubstr("in steps of 10 ms"));
  }
}

TEST(ProcessUsage, comes_from_its_clock) {
  ProcessSampling run;
  run.host.process(10);
  run.host.times(10, 10, 0, 0);
  run.host.clock(10, 70 * kMs_ns);
  run.follow();
  run.sampler.sample_times(0);
  run.host.clock(10, 220 * kMs_ns);
  run.sampler.sample_times(100 * kMs_ns);  // one and a half cores
  run.sampler.sample_times(150 * kMs_ns);
  run.sampler.sample_times(200 * kMs_ns);
  EXPECT_THAT(run.recording.samples("process_cpu_usage", 10),
              ElementsAre(Sample{100 * kMs_ns, 1500}, Sample{150 * kMs_ns, 0}));
  EXPECT_EQ(run.sampler.cpu_ns(), 220 * kMs_ns);
}

TEST(ProcessUsage, comes_from_ticks_without_a_clock) {
  ProcessSampling run;
  run.host.process(10, {.user_ticks = 10, .system_ticks = 5});
  run.host.times(10, 10, 0, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.sampler.sample_memory(0);
  run.host.process(10, {.user_ticks = 15, .system_ticks = 10});
  run.sampler.sample_memory(250 * kMs_ns);
  EXPECT_THAT(run.recording.samples("process_cpu_usage", 10),
              ElementsAre(Sample{250 * kMs_ns, 400}));
}

TEST(ProcessUsage, of_those_who_ended_and_of_children_nobody_saw_is_part_of_the_sum) {
  ProcessSampling run;
  run.host.process(10);
  run.host.process(11, {.parent = 10});
  run.host.children(10, "11 ");
  for (const pid_t process : {10, 11}) run.host.times(process, process, 0, 0);
  run.host.clock(10, 100 * kMs_ns);
  run.host.clock(11, 300 * kMs_ns);
  run.follow();
  run.sampler.sample_times(0);
  run.sampler.sample_memory(0);
  EXPECT_EQ(run.sampler.cpu_ns(), 400 * kMs_ns);
  // Process 11 has used 310 ms when it ends, and another child that was never seen 500 ms.
  run.host.end(11);
  run.host.children(10, "");
  run.follow();
  EXPECT_EQ(run.sampler.cpu_ns(), 400 * kMs_ns);
  run.host.process(10, {.reaped_ticks = 81});
  run.sampler.sample_memory(250 * kMs_ns);
  EXPECT_EQ(run.sampler.cpu_ns(), 910 * kMs_ns);
}

TEST(ProcessUsage, of_another_process_with_an_old_number_is_another_series) {
  ProcessSampling run;
  run.host.process(10);
  run.host.children(10, "11 12 ");
  run.host.process(11, {.parent = 10, .minor_faults = 7});
  run.host.process(12, {.parent = 10, .minor_faults = 3});
  run.follow();
  run.sampler.sample_memory(0);
  run.host.process(11, {.parent = 10, .minor_faults = 2, .start_ticks = 900});
  run.host.process(12, {.name = "cc", .parent = 10, .minor_faults = 4});
  for (int i = 0; i < 4; ++i) run.follow();  // one of these looks is thorough
  run.sampler.sample_memory(250 * kMs_ns);
  EXPECT_EQ(definitions_of(run.recording, "minor_faults", 11, 0), 2u);
  EXPECT_THAT(run.recording.values("minor_faults", 11), ElementsAre(7, 2));
  EXPECT_EQ(definitions_of(run.recording, "minor_faults", 12, 0), 1u);
  EXPECT_THAT(run.recording.values("minor_faults", 12), ElementsAre(3, 4));
  EXPECT_THAT(run.recording.processes(), ElementsAre(HostRecording::Process{10, 1, "app", false},
                                                     HostRecording::Process{11, 10, "app", false},
                                                     HostRecording::Process{12, 10, "app", false},
                                                     HostRecording::Process{12, 10, "cc", false},
                                                     HostRecording::Process{11, 10, "app", false}));
}

TEST(ProcessMemory, faults_and_resident_bytes) {
  ProcessSampling run;
  run.host.process(10, {.minor_faults = 500, .major_faults = 2, .resident_pages = 25});
  run.follow();
  run.sampler.sample_memory(1);
  run.host.process(10, {.minor_faults = 700, .major_faults = 2, .resident_pages = 26});
  run.sampler.sample_memory(2);
  // It has ended, and nobody has waited for it: its sums are final, its memory is gone.
  run.host.process(10, {.state = 'Z', .minor_faults = 750, .major_faults = 2});
  run.sampler.sample_memory(3);
  EXPECT_THAT(run.recording.samples("minor_faults", 10),
              ElementsAre(Sample{1, 500}, Sample{2, 700}, Sample{3, 750}));
  EXPECT_THAT(run.recording.samples("major_faults", 10), ElementsAre(Sample{1, 2}));
  EXPECT_THAT(run.recording.samples("process_rss_bytes", 10),
              ElementsAre(Sample{1, 102'400}, Sample{2, 106'496}));
}

TEST(ThreadDetails, are_written_for_threads_that_did_something) {
  ProcessSampling run;
  run.host.process(10, {.name = "python3", .threads = 2});
  run.host.thread(10, 11, {.name = "worker", .minor_faults = 30, .major_faults = 4, .core = 5});
  run.host.times(10, 10, 100, 0);
  run.host.times(10, 11, 100, 0);
  run.follow();
  run.sampler.sample_times(0);
  run.sampler.sample_threads(0);
  EXPECT_THAT(run.recording.threads(), IsEmpty());
  run.host.times(10, 11, 200, 0, 2);
  run.sampler.sample_times(50);
  run.sampler.sample_threads(50);
  run.sampler.sample_threads(100);
  EXPECT_THAT(run.recording.threads(), ElementsAre(HostRecording::Thread{11, "worker"}));
  EXPECT_THAT(run.recording.samples("core", 10, 11), ElementsAre(Sample{50, 5}));
  EXPECT_THAT(run.recording.samples("page_faults", 10, 11), ElementsAre(Sample{50, 34}));
  EXPECT_THAT(run.recording.samples("core", 10, 10), IsEmpty());
  EXPECT_THAT(run.sampler.cores(), IsEmpty());

  run.host.times(10, 10, 200, 0, 2);
  run.host.times(10, 11, 300, 0, 3);
  run.sampler.sample_times(150);
  run.sampler.sample_threads(150);
  EXPECT_THAT(run.sampler.cores(), ElementsAre(0, 5));
}

TEST(SwitchCounts, of_all_threads_are_summed) {
  ProcessSampling run;
  run.host.process(10, {.threads = 2});
  run.host.thread(10, 11);
  for (const pid_t thread : {10, 11}) run.host.times(10, thread, 100, 0);
  run.host.switches(10, 10, 7, 1);
  run.host.switches(10, 11, 20, 5);
  run.follow();
  run.sampler.sample_times(0);
  run.sampler.sample_counters(0);
  run.host.times(10, 11, 200, 0, 2);
  run.host.switches(10, 11, 23, 5);
  run.sampler.sample_times(50);
  run.sampler.sample_counters(1000);
  EXPECT_THAT(run.recording.samples("voluntary_switches", 10),
              ElementsAre(Sample{0, 27}, Sample{1000, 30}));
  EXPECT_THAT(run.recording.samples("forced_switches", 10), ElementsAre(Sample{0, 6}));
  EXPECT_THAT(run.recording.samples("voluntary_switches", 10, 11), ElementsAre(Sample{1000, 23}));
  EXPECT_THAT(run.recording.samples("forced_switches", 10, 11), ElementsAre(Sample{1000, 5}));
  EXPECT_THAT(run.recording.samples("voluntary_switches", 10, 10), IsEmpty());
}

TEST(DiskTraffic, is_written_when_it_changes) {
  ProcessSampling run;
  run.host.process(10);
  run.host.write("proc/10/io", "read_bytes: 4096\nwrite_bytes: 0\n");
  run.follow();
  run.sampler.sample_counters(1);
  run.host.write("proc/10/io", "read_bytes: 4096\nwrite_bytes: 512\n");
  run.sampler.sample_counters(2);
  EXPECT_THAT(run.recording.samples("process_read_bytes", 10), ElementsAre(Sample{1, 4096}));
  EXPECT_THAT(run.recording.samples("process_write_bytes", 10),
              ElementsAre(Sample{1, 0}, Sample{2, 512}));
}

// Root may read every file, so root becomes somebody else for a while.
class Unprivileged {
 public:
  Unprivileged() {
    if (was_ == 0 && seteuid(kNobody) != 0) std::abort();
  }
  Unprivileged(const Unprivileged&) = delete;
  Unprivileged& operator=(const Unprivileged&) = delete;
  ~Unprivileged() {
    if (seteuid(was_) != 0) std::abort();
  }

 private:
  static constexpr uid_t kNobody = 65534;
  const uid_t was_ = geteuid();
};

TEST(DiskTraffic, that_may_not_be_read_is_noted_once) {
  ProcessSampling run;
  std::filesystem::permissions(std::filesystem::path(run.host.proc()).parent_path(),
                               std::filesystem::perms(0755));
  for (const pid_t process : {10, 11}) {
    run.host.process(process, {.parent = 10});
    const std::string name = fmt::format("proc/{}/io", process);
    run.host.write(name, "read_bytes: 1\nwrite_bytes: 1\n");
    chmod(fmt::format("{}/{}/io", run.host.proc(), process).c_str(), 0);
  }
  {
    const Unprivileged user;
    run.follow();
    for (int i = 0; i < 3; ++i) run.sampler.sample_counters(i);
  }
  EXPECT_THAT(run.recording.samples("process_read_bytes", 10), IsEmpty());
  ASSERT_THAT(run.recording.notes(), SizeIs(1));
  EXPECT_EQ(run.recording.notes()[0].what, wire::NoteWhat::kNotPermitted);
}

TEST(ProcessQuota, is_written_for_the_first_process_of_a_group) {
  ProcessSampling run;
  run.host.write("cgroup/job/cpu.max", "250000 100000\n");
  run.host.write("cgroup/job/cpu.stat", "throttled_usec 40\n");
  for (const pid_t process : {10, 11}) {
    run.host.process(process, {.parent = process == 10 ? 1 : 10});
    run.host.write(fmt::format("proc/{}/cgroup", process), "0::/job\n");
  }
  run.host.process(12, {.parent = 10});
  run.host.write("proc/12/cgroup", "0::/\n");
  run.follow();
  run.sampler.sample_counters(1);
  run.host.write("cgroup/job/cpu.stat", "throttled_usec 90\n");
  run.sampler.sample_counters(2);
  EXPECT_THAT(run.recording.samples("cpu_quota_cores", 10), ElementsAre(Sample{1, 250}));
  EXPECT_THAT(run.recording.samples("cpu_quota_throttled_us", 10),
              ElementsAre(Sample{1, 40}, Sample{2, 90}));
  EXPECT_THAT(run.recording.samples("cpu_quota_cores", 11), IsEmpty());
  EXPECT_THAT(run.recording.samples("cpu_quota_cores", 12), IsEmpty());
}

TEST(ProcessNames, are_written_first_and_when_they_change) {
  ProcessSampling run;
  run.host.process(10, {.name = "strobe", .parent = 3});
  run.follow();
  run.follow();
  run.host.process(10, {.name = "python3", .parent = 3});
  run.follow();
  EXPECT_THAT(run.recording.processes(),
              ElementsAre(HostRecording::Process{10, 3, "strobe", false},
                          HostRecording::Process{10, 3, "python3", false}));
}

TEST(ProcessSampler, survives_files_that_make_no_sense) {
  ProcessSampling run;
  run.host.process(10, {.threads = 3});
  run.host.thread(10, 11);
  run.host.write("proc/10/task/12/stat", "12 (");
  run.host.write("proc/10/task/10/schedstat", "one two three\n");
  run.host.write("proc/10/task/10/status", "nothing\n");
  run.host.write("proc/10/io", "nothing\n");
  run.host.write("proc/10/cgroup", "nothing\n");
  run.follow();
  for (int i = 0; i < 3; ++i) {
    run.sampler.sample_times(i);
    run.sampler.sample_memory(i);
    run.sampler.sample_threads(i);
    run.sampler.sample_counters(i);
  }
  run.host.write("proc/10/stat", "10 (app) S");
  run.sampler.sample_memory(4);
  run.host.end(10);
  for (int i = 5; i < 8; ++i) {
    run.sampler.sample_times(i);
    run.sampler.sample_memory(i);
    run.sampler.sample_threads(i);
    run.sampler.sample_counters(i);
  }
  run.follow();
  EXPECT_EQ(run.sampler.thread_count(), 0u);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), IsEmpty());
}

}  // namespace
}  // namespace strobe::record
