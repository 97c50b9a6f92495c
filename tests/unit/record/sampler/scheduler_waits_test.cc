#include "strobe/record/sampler/scheduler_waits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/busy_neighbour.h"
#include "tests/unit/record/sampler/host_recording.h"
#include "tests/unit/record/sampler/played_kernel.h"

namespace strobe::record {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint16_t kBlocks = PERF_RECORD_MISC_SWITCH_OUT;
constexpr std::uint16_t kPushedOut =
    PERF_RECORD_MISC_SWITCH_OUT | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
constexpr std::uint16_t kGetsCore = 0;

TEST(SchedulerWaits, of_whole_cores_name_who_ran_instead) {
  PlayedKernel kernel;
  kernel.host.write("proc/70/comm", "make\n");
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reach(), SchedulerWaits::Reach::kCores);
  EXPECT_EQ(waits->what_is_missing(), "");
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 11}});
  // Thread 11 is pushed out on core 1 and goes on on core 0, whose ring is read first.
  kernel.put(0, {500, 10, 11, 0, kGetsCore});
  kernel.put(1, {90, 71, 71, 10, kPushedOut});
  kernel.put(1, {100, 10, 11, 70, kPushedOut});
  kernel.put(1, {100, 70, 70, 10, kGetsCore});
  kernel.put(1, {700, 70, 70, 0, kBlocks});
  HostRecording recording;
  waits->drain(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  const auto wait = recording.waits()[0];
  EXPECT_EQ(wait.process, 10);
  EXPECT_EQ(wait.thread, 11);
  EXPECT_EQ(wait.start_ns, 100);
  EXPECT_EQ(wait.duration_ns, 400);
  EXPECT_EQ(wait.other, 70);
  EXPECT_EQ(wait.other_name, "make");
  EXPECT_THAT(recording.notes(), IsEmpty());
}

TEST(SchedulerWaits, who_ran_is_known_over_several_batches) {
  PlayedKernel kernel;
  kernel.host.write("proc/70/comm", "make\n");
  kernel.host.write("proc/80/comm", "cc\n");
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 11}});
  HostRecording recording;
  kernel.put(0, {100, 10, 11, 70, kPushedOut});
  waits->drain(recording.writer());
  kernel.put(0, {200, 70, 70, 80, kPushedOut});
  waits->drain(recording.writer());
  kernel.put(0, {900, 80, 80, 10, kPushedOut});
  kernel.put(0, {900, 10, 11, 80, kGetsCore});
  waits->drain(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].duration_ns, 800);
  EXPECT_EQ(recording.waits()[0].other_name, "cc");
}

TEST(SchedulerWaits, a_record_that_is_too_new_waits_for_those_of_other_cores) {
  PlayedKernel kernel;
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 11}});
  HostRecording recording;
  const std::int64_t now_ns = wire::run_clock_ns() + 3'600'000'000'000;  // in an hour
  kernel.put(0, {now_ns, 10, 11, 0, kGetsCore});
  waits->drain(recording.writer());
  kernel.put(1, {now_ns - 300, 10, 11, 70, kPushedOut});  // came late
  waits->drain(recording.writer());
  EXPECT_THAT(recording.waits(), IsEmpty());

  PlayedKernel other;
  auto again = SchedulerWaits::open(other.options());
  ASSERT_TRUE(again);
  again->watch(std::vector<ThreadOfTree>{{10, 11}});
  const std::int64_t past_ns = wire::run_clock_ns() - 3'600'000'000'000;
  other.put(0, {past_ns + 300, 10, 11, 0, kGetsCore});
  other.put(1, {past_ns, 10, 11, 70, kPushedOut});
  again->drain(recording.writer());
  EXPECT_THAT(recording.waits(), SizeIs(1));
}

TEST(SchedulerWaits, of_a_process_that_has_just_ended_still_end) {
  PlayedKernel kernel;
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  HostRecording recording;
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {12, 13}});
  kernel.put(0, {100, 12, 13, 70, kPushedOut});
  waits->drain(recording.writer());
  waits->watch(std::vector<ThreadOfTree>{{10, 10}});
  kernel.put(0, {300, 12, 13, 70, kGetsCore});
  kernel.put(0, {400, 12, 13, 70, kPushedOut});  // from here on nobody's business
  kernel.put(0, {500, 12, 13, 70, kGetsCore});
  waits->drain(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].process, 12);
  EXPECT_EQ(recording.waits()[0].duration_ns, 200);
}

TEST(SchedulerWaits, of_threads_are_enough_where_there_are_too_many_cores) {
  PlayedKernel kernel;
  SchedulerWaitsOptions options = kernel.options();
  options.most_ring_bytes = 3 * static_cast<std::size_t>(page_bytes_of_this_machine());
  const auto waits = SchedulerWaits::open(std::move(options));
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reach(), SchedulerWaits::Reach::kThreads);
  EXPECT_THAT(waits->what_is_missing(), HasSubstr("too many cores"));
}

TEST(SchedulerWaits, that_go_on_at_the_end_are_written) {
  PlayedKernel kernel;
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 11}});
  const std::int64_t start_ns = wire::run_clock_ns();
  kernel.put(0, {start_ns, 10, 11, 70, kPushedOut});
  HostRecording recording;
  waits->finish(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].start_ns, start_ns);
  EXPECT_GE(recording.waits()[0].duration_ns, 0);
  EXPECT_EQ(recording.waits()[0].other_name, "");  // nobody knows process 70
}

TEST(SchedulerWaits, a_core_that_stays_idle_has_a_name_only_where_all_processes_are_seen) {
  for (const bool sees_all : {true, false}) {
    PlayedKernel kernel;
    std::filesystem::create_directories(kernel.host.proc() + "/self/ns");
    std::filesystem::create_symlink(sees_all ? "pid:[4026531836]" : "pid:[4026532999]",
                                    kernel.host.proc() + "/self/ns/pid");
    auto waits = SchedulerWaits::open(kernel.options());
    ASSERT_TRUE(waits);
    waits->watch(std::vector<ThreadOfTree>{{10, 11}});
    kernel.put(0, {100, 10, 11, 0, kPushedOut});
    kernel.put(0, {900, 10, 11, 0, kGetsCore});
    HostRecording recording;
    waits->drain(recording.writer());
    ASSERT_THAT(recording.waits(), SizeIs(1));
    EXPECT_EQ(recording.waits()[0].other, 0);
    EXPECT_EQ(recording.waits()[0].other_name, sees_all ? "idle core" : "");
  }
}

TEST(SchedulerWaits, around_lost_records_are_not_written_and_the_loss_is_noted) {
  PlayedKernel kernel;
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 11}});
  HostRecording recording;
  kernel.put(0, {100, 10, 11, 70, kPushedOut});
  kernel.put_losses(-1, 0, 40);
  kernel.put(0, {900, 10, 11, 70, kGetsCore});
  waits->drain(recording.writer());
  kernel.put(0, {1000, 10, 11, 70, kPushedOut});
  kernel.put(0, {1300, 10, 11, 70, kGetsCore});
  waits->drain(recording.writer());
  kernel.put_losses(-1, 1, 2);
  waits->drain(recording.writer());
  waits->finish(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].start_ns, 1000);
  const auto notes = recording.notes();
  ASSERT_THAT(notes, SizeIs(2));  // at once, and the rest at the end
  EXPECT_EQ(notes[0].what, wire::NoteWhat::kDropped);
  EXPECT_EQ(notes[0].count, 40u);
  EXPECT_EQ(notes[1].count, 2u);
}

TEST(SchedulerWaits, need_less_permission_for_own_threads_only) {
  PlayedKernel kernel(EACCES);
  kernel.host.write("proc/sys/kernel/perf_event_paranoid", "2\n");
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->reach(), SchedulerWaits::Reach::kThreads);
  EXPECT_THAT(waits->what_is_missing(), HasSubstr("kernel.perf_event_paranoid is 2"));
  EXPECT_THAT(waits->what_is_missing(), HasSubstr("sysctl kernel.perf_event_paranoid=0"));
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 11}});
  EXPECT_TRUE(kernel.is_open(10, -1));
  EXPECT_TRUE(kernel.is_open(11, -1));
  kernel.put_of_thread({100, 10, 11, 0, kPushedOut});
  kernel.put_of_thread({250, 10, 11, 0, kGetsCore});
  kernel.put_losses(10, -1, 5);  // of the other thread
  HostRecording recording;
  waits->drain(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].thread, 11);
  EXPECT_EQ(recording.waits()[0].duration_ns, 150);
  EXPECT_EQ(recording.waits()[0].other, 0);
  EXPECT_EQ(recording.waits()[0].other_name, "");

  // A thread that has ended is read once more.
  kernel.put_of_thread({300, 10, 11, 0, kPushedOut});
  kernel.put_of_thread({400, 10, 11, 0, kGetsCore});
  waits->watch(std::vector<ThreadOfTree>{{10, 10}});
  waits->drain(recording.writer());
  kernel.put_of_thread({500, 10, 11, 0, kPushedOut});
  kernel.put_of_thread({600, 10, 11, 0, kGetsCore});
  waits->drain(recording.writer());
  EXPECT_THAT(recording.waits(), SizeIs(2));
}

TEST(SchedulerWaits, of_threads_around_their_own_losses_are_not_written) {
  PlayedKernel kernel(EACCES);
  auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 11}});
  for (const pid_t thread : {10, 11}) {
    kernel.put_of_thread({100, 10, thread, 0, kPushedOut});
    if (thread == 11) kernel.put_losses(11, -1, 3);
    kernel.put_of_thread({400, 10, thread, 0, kGetsCore});
  }
  HostRecording recording;
  waits->drain(recording.writer());
  ASSERT_THAT(recording.waits(), SizeIs(1));
  EXPECT_EQ(recording.waits()[0].thread, 10);
}

TEST(SchedulerWaits, the_number_of_threads_has_a_limit_that_is_noted) {
  PlayedKernel kernel(EACCES);
  SchedulerWaitsOptions options = kernel.options();
  const auto page = static_cast<std::size_t>(page_bytes_of_this_machine());
  options.most_ring_bytes = 2 * (page + std::max<std::size_t>(page, 32 * 1024));
  auto waits = SchedulerWaits::open(std::move(options));
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->most_threads(), 2u);
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 11}, {10, 12}});
  EXPECT_FALSE(kernel.is_open(12, -1));
  HostRecording recording;
  waits->drain(recording.writer());
  waits->drain(recording.writer());
  ASSERT_THAT(recording.notes(), SizeIs(1));
  EXPECT_THAT(recording.notes()[0].text, HasSubstr("2 of 3 threads"));
  EXPECT_THAT(waits->what_is_missing(),
              EndsWith("; waits for a core are recorded for 2 of 3 threads"));
  // The place of one that has ended is free again.
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 12}});
  waits->drain(recording.writer());
  waits->watch(std::vector<ThreadOfTree>{{10, 10}, {10, 12}});
  EXPECT_TRUE(kernel.is_open(12, -1));
}

// A thread of this process that may use one core.
class ThreadOnOneCore {
 public:
  explicit ThreadOnOneCore(int core)
      : thread_([this, core](const std::stop_token& stop) {
          cpu_set_t set;
          CPU_ZERO(&set);
          CPU_SET(static_cast<unsigned>(core), &set);
          sched_setaffinity(0, sizeof set, &set);
          id_ = gettid();
          id_.notify_all();
          while (!stop.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }) {
    id_.wait(0);
  }
  pid_t id() const { return id_; }

 private:
  std::atomic<pid_t> id_ = 0;
  std::jthread thread_;
};

int first_usable_core() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 0;
  int core = 0;
  while (core < CPU_SETSIZE - 1 && !CPU_ISSET(static_cast<unsigned>(core), &set)) ++core;
  return core;
}

TEST(SchedulerWaits, of_all_cores_that_a_thread_of_the_program_may_use) {
  const int first = first_usable_core();
  const int last = test::last_usable_core();
  if (first == last) GTEST_SKIP() << "this process may use one core only";
  const ThreadOnOneCore on_last(last);
  PlayedKernel kernel;
  SchedulerWaitsOptions options = kernel.options();
  options.cores.clear();
  kernel.host.thread(10, on_last.id());
  ASSERT_TRUE(SchedulerWaits::open(options));
  EXPECT_TRUE(kernel.is_open(-1, last));
  EXPECT_FALSE(kernel.is_open(-1, first));
  const ThreadOnOneCore on_first(first);
  kernel.host.thread(10, on_first.id());
  ASSERT_TRUE(SchedulerWaits::open(options));
  EXPECT_TRUE(kernel.is_open(-1, first));
}

TEST(SchedulerWaits, of_all_cores_where_nobody_knows_what_the_program_may_use) {
  PlayedKernel kernel;
  kernel.host.write("cores/online", "0-1,3\n");
  SchedulerWaitsOptions options = kernel.options();
  options.cores.clear();
  ASSERT_TRUE(SchedulerWaits::open(std::move(options)));
  for (int core = 0; core < 5; ++core) {
    EXPECT_EQ(kernel.is_open(-1, core), core < 2 || core == 3) << core;
  }
}

TEST(SchedulerWaits, blame_a_setting_only_where_it_forbids_something) {
  PlayedKernel kernel(EMFILE);
  kernel.host.write("proc/sys/kernel/perf_event_paranoid", "2\n");
  const auto waits = SchedulerWaits::open(kernel.options());
  ASSERT_TRUE(waits);
  EXPECT_EQ(waits->what_is_missing(),
            "who ran instead of a waiting thread is not known: Too many open files");
}

TEST(SchedulerWaits, say_what_has_to_be_allowed) {
  struct Case {
    int error;
    const char* paranoid;
    const char* what;
    const char* hint;
  };
  for (const Case& one :
       {Case{EACCES, "4\n", "kernel.perf_event_paranoid is 4",
             "sudo sysctl kernel.perf_event_paranoid=2"},
        Case{EACCES, nullptr, "is not readable", "setcap cap_perfmon"},
        Case{EPERM, "-1\n", "although kernel.perf_event_paranoid is -1", "--cap-add=PERFMON"},
        Case{ENOSYS, "2\n", "records no context switches", "counted"},
        Case{EMFILE, "2\n", "Too many open files", "counted"}}) {
    PlayedKernel kernel(one.error, one.error);
    if (one.paranoid) kernel.host.write("proc/sys/kernel/perf_event_paranoid", one.paranoid);
    const auto waits = SchedulerWaits::open(kernel.options());
    ASSERT_FALSE(waits);
    EXPECT_EQ(waits.error().code, ErrorCode::kMachineLacks);
    EXPECT_THAT(waits.error().what, HasSubstr(one.what));
    EXPECT_THAT(waits.error().hint, HasSubstr(one.hint));
  }
}

TEST(SchedulerWaits, survive_an_event_without_memory) {
  PlayedKernel kernel;
  SchedulerWaitsOptions options = kernel.options();
  options.open_event = [](perf_event_attr&, pid_t, int) { return dup(STDIN_FILENO); };
  const auto waits = SchedulerWaits::open(std::move(options));
  ASSERT_FALSE(waits);
  EXPECT_THAT(waits.error().what, HasSubstr("no memory"));
  EXPECT_THAT(waits.error().hint, HasSubstr("perf_event_mlock_kb"));
}

TEST(SchedulerWaits, leave_the_cores_where_reading_them_costs_too_much) {
  PlayedKernel kernel;
  SchedulerWaitsOptions options = kernel.options();
  options.most_share = 0;
  options.cost_window_ns = 0;
  auto waits = SchedulerWaits::open(std::move(options));
  ASSERT_TRUE(waits);
  waits->watch(std::vector<ThreadOfTree>{{10, 11}});
  HostRecording recording;
  EXPECT_EQ(waits->reach(), SchedulerWaits::Reach::kCores);
  waits->drain(recording.writer());
  waits->drain(recording.writer());
  EXPECT_EQ(waits->reach(), SchedulerWaits::Reach::kThreads);
  EXPECT_THAT(waits->what_is_missing(), HasSubstr("too often"));
  ASSERT_THAT(recording.notes(), SizeIs(1));
  kernel.put_of_thread({100, 10, 11, 0, kPushedOut});
  kernel.put_of_thread({400, 10, 11, 0, kGetsCore});
  waits->drain(recording.writer());
  EXPECT_THAT(recording.waits(), SizeIs(1));
}

// Real switches from here on.

std::int64_t counted_wait_ns(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/schedstat");
  std::int64_t on_core_ns = 0;
  std::int64_t waiting_ns = 0;
  file >> on_core_ns >> waiting_ns;
  return waiting_ns;
}

struct RealWaits {
  double counted_ns = 0;  // by the scheduler
  double recorded_ns = 0;
  double longest_ns = 0;
  double with_name_ns = 0;
  double because_of_neighbour_ns = 0;
  double neighbour_ns = 0;  // on the core
};

// A process that shares its core with a busy neighbour.
RealWaits record_real_waits(SchedulerWaits& waits, pid_t recorded, pid_t neighbour) {
  HostRecording recording;
  waits.watch(std::vector<ThreadOfTree>{{recorded, recorded}});
  const std::int64_t counted_ns = counted_wait_ns(recorded);
  const std::int64_t neighbour_ns = process_cpu_ns(neighbour).value_or(0);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    waits.drain(recording.writer());
  }
  RealWaits real;
  real.counted_ns = static_cast<double>(counted_wait_ns(recorded) - counted_ns);
  real.neighbour_ns = static_cast<double>(process_cpu_ns(neighbour).value_or(0) - neighbour_ns);
  waits.finish(recording.writer());
  for (const HostRecording::Wait& wait : recording.waits()) {
    const auto duration_ns = static_cast<double>(wait.duration_ns);
    EXPECT_EQ(wait.thread, recorded);
    real.recorded_ns += duration_ns;
    real.longest_ns = std::max(real.longest_ns, duration_ns);
    if (!wait.other_name.empty()) real.with_name_ns += duration_ns;
    if (wait.other == neighbour && wait.other_name == "busy_neighbour") {
      real.because_of_neighbour_ns += duration_ns;
    }
  }
  EXPECT_THAT(recording.notes(), IsEmpty());
  return real;
}

void expect_real_waits(bool may_watch_cores) {
  const int core = test::last_usable_core();
  const test::BusyNeighbour recorded(core);
  const test::BusyNeighbour neighbour(core);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  SchedulerWaitsOptions options;
  options.root = recorded.id();
  options.may_watch_cores = may_watch_cores;
  options.most_share = 1;
  auto waits = SchedulerWaits::open(std::move(options));
  if (!waits) GTEST_SKIP() << what_and_hint(waits.error());
  if (counted_wait_ns(recorded.id()) == 0) GTEST_SKIP() << "this kernel keeps no schedstat";
  const bool names_others = waits->reach() == SchedulerWaits::Reach::kCores;
  if (may_watch_cores && !names_others) GTEST_SKIP() << waits->what_is_missing();
  const RealWaits real = record_real_waits(*waits, recorded.id(), neighbour.id());
  EXPECT_GT(real.recorded_ns, 0.3e9);
  // One wait may lie on either end.
  EXPECT_NEAR(real.recorded_ns, real.counted_ns,
              0.05 * real.counted_ns + std::max(30e6, 2 * real.longest_ns));
  if (!names_others) {
    EXPECT_EQ(real.with_name_ns, 0);
    return;
  }
  EXPECT_GT(real.with_name_ns, 0.5 * real.recorded_ns);
  // Others may want the core, too. Where they did not get much of it, the neighbour is to blame.
  if (real.neighbour_ns > 0.8 * real.counted_ns) {
    EXPECT_GT(real.because_of_neighbour_ns, 0.6 * real.recorded_ns);
  }
}

// A process that never sleeps waits only after it was pushed out: the recorded waits and the
// scheduler's own counter agree, whoever else wants the core.
TEST(SchedulerWaitsForReal, of_cores_add_up_to_what_the_scheduler_counts) {
  expect_real_waits(true);
}

TEST(SchedulerWaitsForReal, of_threads_add_up_to_what_the_scheduler_counts) {
  expect_real_waits(false);
}

TEST(SchedulerWaitsForReal, a_thread_waits_while_its_quota_is_used_up) {
  const auto group = test::QuotaGroup::make(20'000);
  if (!group) GTEST_SKIP() << "this process may not make a control group with a CPU quota";
  const test::ChildOfTest child([] { test::spin(); });
  if (!group->add(child.id())) GTEST_SKIP() << "no process can be moved to the control group";
  SchedulerWaitsOptions options;
  options.root = child.id();
  options.most_share = 1;
  auto waits = SchedulerWaits::open(std::move(options));
  if (!waits) GTEST_SKIP() << what_and_hint(waits.error());
  HostRecording recording;
  waits->watch(std::vector<ThreadOfTree>{{child.id(), child.id()}});
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    waits->drain(recording.writer());
  }
  double waited_ns = 0;
  for (const HostRecording::Wait& wait : recording.waits()) {
    waited_ns += static_cast<double>(wait.duration_ns);
  }
  EXPECT_GT(waited_ns, 0.5e9);  // four fifths of a second, or more if others want the core
}

}  // namespace
}  // namespace strobe::record
