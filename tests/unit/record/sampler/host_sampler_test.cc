#include "strobe/record/sampler/host_sampler.h"

#include <sys/mman.h>

#include <chrono>
#include <sstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/busy_neighbour.h"
#include "tests/unit/record/sampler/host_folder.h"
#include "tests/unit/record/sampler/host_recording.h"

namespace strobe::record {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Sample = HostRecording::Sample;

constexpr std::int64_t kMillisecond_ns = 1'000'000;

// An invented machine: process 10 is recorded by process 5.
class HostSampling {
 public:
  HostFolder host;
  HostRecording recording;
  std::int64_t cost_ns = 0;  // so far

  HostSampling() {
    host.process(5, {.name = "strobe"});
    host.clock(5, 0);
    host.process(10, {.name = "python3", .parent = 5});
    host.clock(10, 0);
    host.times(10, 10, 0, 0);
  }
  HostSampler make() {
    return {recording.log(),
            {.host = host.access(), .root = 10, .strobe = 5, .cost_clock_ns = [this] {
               return cost_ns;
             }}};
  }
  // The program runs all the time.
  void run_until(std::int64_t now_ns) const {
    host.clock(10, now_ns);
    host.times(10, 10, now_ns, 0, static_cast<int>(now_ns / kMillisecond_ns));
  }
};

TEST(HostSampler, each_value_has_its_own_rate) {
  HostSampling run;
  run.host.write("proc/stat", "cpu  1 1 1 1 1 1 1 1\n");
  HostSampler sampler = run.make();
  for (int i = 0; i < 40; ++i) {
    const std::int64_t now_ns = i * 50 * kMillisecond_ns;
    run.run_until(now_ns);
    run.host.process(10, {.name = "python3", .parent = 5, .minor_faults = i});
    run.host.switches(10, 10, i, 0);
    run.host.write("proc/stat", fmt::format("cpu  {} 1 1 {} 1 1 1 1\n", 5 * i + 1, 5 * i + 1));
    sampler.sample(now_ns, true);
  }
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), SizeIs(39));     // all but the first
  EXPECT_THAT(run.recording.samples("process_cpu_usage", 10), SizeIs(39));  // likewise
  EXPECT_THAT(run.recording.samples("minor_faults", 10), SizeIs(8));
  EXPECT_THAT(run.recording.samples("page_faults", 10, 10), SizeIs(3));
  EXPECT_THAT(run.recording.samples("voluntary_switches", 10), SizeIs(1));
  EXPECT_THAT(run.recording.samples("host_cpu_usage"), SizeIs(7));
  EXPECT_THAT(run.recording.samples("foreign_cpu_usage"), SizeIs(1));
  EXPECT_THAT(run.recording.notes(), IsEmpty());
}

TEST(HostSampler, a_process_that_the_program_starts_is_own_and_strobe_is_nobody) {
  HostSampling run;
  HostSampler sampler = run.make();
  run.host.children(10, "");
  sampler.sample(0, true);
  run.host.process(11, {.name = "worker", .parent = 10});
  run.host.children(10, "11 ");
  for (int i = 1; i <= 60; ++i) {
    const std::int64_t now_ns = i * 50 * kMillisecond_ns;
    run.host.clock(5, now_ns / 100);
    run.host.clock(11, now_ns);
    run.host.times(11, 11, now_ns, 0, i);
    sampler.sample(now_ns, true);
  }
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(0, 0, 0));
  EXPECT_THAT(run.recording.processes(),
              ElementsAre(HostRecording::Process{10, 5, "python3", false},
                          HostRecording::Process{11, 10, "worker", false}));
  EXPECT_THAT(sampler.threads(), ElementsAre(ThreadOfTree{10, 10}, ThreadOfTree{11, 11}));
  EXPECT_THAT(run.recording.values("process_cpu_usage", 11), Contains(1000));
}

TEST(HostSampler, what_the_recorders_of_other_ranks_record_is_not_foreign) {
  HostSampling run;
  run.host.process(80, {.name = "strobe"});
  run.host.process(81, {.name = "python3", .parent = 80});
  run.host.children(80, "81 ");
  run.host.process(90, {.name = "make"});
  HostSampler sampler(run.recording.log(), {.host = run.host.access(),
                                            .root = 10,
                                            .strobe = 5,
                                            .other_recorders =
                                                [] {
                                                  return std::vector<pid_t>{5, 80};
                                                },
                                            .cost_clock_ns = [] { return std::int64_t{0}; }});
  for (int i = 0; i <= 40; ++i) {
    const std::int64_t now_ns = i * 50 * kMillisecond_ns;
    run.host.clock(80, now_ns / 100);
    run.host.clock(81, now_ns);
    run.host.clock(90, now_ns / 4);
    // All that the three use, in ticks of 10 ms.
    run.host.write("proc/stat", fmt::format("cpu  {} 0 0 9999 0 0 0 0\n", i * 63 / 10));
    sampler.sample(now_ns, true);
  }
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(250, 250));
  EXPECT_THAT(run.recording.processes(),
              ElementsAre(HostRecording::Process{10, 5, "python3", false},
                          HostRecording::Process{90, 1, "make", true}));
}

TEST(HostSampler, leaves_the_machine_to_another_recorder) {
  HostSampling run;
  run.host.process(90, {.name = "make"});
  run.host.write("proc/loadavg", "1.00 1.00 1.00 1/1 5\n");
  HostSampler sampler = run.make();
  for (int i = 0; i < 40; ++i) {
    run.host.clock(90, i * 50 * kMillisecond_ns);
    run.run_until(i * 50 * kMillisecond_ns);
    sampler.sample(i * 50 * kMillisecond_ns, false);
  }
  EXPECT_THAT(run.recording.samples("host_load"), IsEmpty());
  EXPECT_THAT(run.recording.samples("foreign_cpu_usage"), IsEmpty());
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10), SizeIs(39));
  // The other one ends: from here on, and nothing of the time before.
  for (int i = 40; i < 61; ++i) {
    run.host.clock(90, 2000 * kMillisecond_ns);
    sampler.sample(i * 50 * kMillisecond_ns, true);
  }
  EXPECT_THAT(run.recording.values("foreign_cpu_usage"), ElementsAre(0));
  EXPECT_THAT(run.recording.values("host_load"), ElementsAre(100));
}

TEST(HostSampler, what_others_cost_does_not_lower_its_rate) {
  HostSampling run;
  HostSampler sampler = run.make();
  for (int i = 0; i < 40; ++i) {
    run.run_until(i * 50 * kMillisecond_ns);
    run.cost_ns += 20 * kMillisecond_ns;
    sampler.sample(i * 50 * kMillisecond_ns, false);
  }
  EXPECT_THAT(run.recording.samples("schedstat_oncpu_ns", 10), SizeIs(40));
  EXPECT_THAT(run.recording.notes(), IsEmpty());
}

TEST(HostSampler, notes_a_lower_rate_once) {
  HostSampling run;
  HostSamplerOptions options = {.host = run.host.access(), .root = 10, .strobe = 5};
  // Each pass costs 5 ms: 0.8 % of a core is not enough for one every 50 ms.
  options.cost_clock_ns = [cost_ns = std::int64_t{0}]() mutable {
    return cost_ns += 5 * kMillisecond_ns;
  };
  HostSampler sampler(run.recording.log(), options);
  for (int i = 0; i < 200; ++i) {
    run.run_until(i * 50 * kMillisecond_ns);
    sampler.sample(i * 50 * kMillisecond_ns, true);
  }
  const auto samples = run.recording.samples("schedstat_oncpu_ns", 10);
  EXPECT_GT(samples.size(), 6u);  // every 1.4 s
  EXPECT_LT(samples.size(), 14u);
  ASSERT_THAT(run.recording.notes(), SizeIs(1));
  EXPECT_EQ(run.recording.notes()[0].what, wire::NoteWhat::kRemark);
  EXPECT_THAT(run.recording.notes()[0].text, HasSubstr("has 1 threads"));
  // The values are right all the same.
  for (const Sample& sample : run.recording.samples("on_cpu_pct", 10, 10)) {
    EXPECT_EQ(sample.value, 1000);
  }
}

TEST(HostSampler, the_end_of_a_program_is_sampled_whatever_the_rate) {
  HostSampling run;
  HostSampler sampler = run.make();
  sampler.sample(0, true);
  run.host.process(10, {.name = "python3", .state = 'Z', .parent = 5, .minor_faults = 77});
  run.run_until(7 * kMillisecond_ns);
  run.host.switches(10, 10, 5, 2);
  sampler.finish(10 * kMillisecond_ns, true);
  EXPECT_THAT(run.recording.samples("on_cpu_pct", 10, 10),
              ElementsAre(Sample{10 * kMillisecond_ns, 700}));
  EXPECT_THAT(run.recording.values("minor_faults", 10), ElementsAre(0, 77));
  EXPECT_THAT(run.recording.values("forced_switches", 10), Contains(2));
}

// The first look at the tree costs far more than its share: the next one is due after 6 s, although
// foreign processes are looked at each second.
TEST(HostSampler, foreign_processes_do_not_make_an_expensive_tree_due) {
  HostSampling run;
  HostSamplerOptions options = {.host = run.host.access(), .root = 10, .strobe = 5};
  std::int64_t clock_reads = 0;
  options.cost_clock_ns = [&] {
    const bool is_behind_first_look = ++clock_reads == 2;
    return run.cost_ns += is_behind_first_look ? 20 * kMillisecond_ns : 0;
  };
  HostSampler sampler(run.recording.log(), options);
  run.host.children(10, "");
  sampler.sample(0, true);
  run.host.process(11, {.name = "worker", .parent = 10});
  run.host.children(10, "11 ");
  for (int i = 1; i <= 40; ++i) sampler.sample(i * 50 * kMillisecond_ns, true);
  EXPECT_THAT(sampler.threads(), ElementsAre(ThreadOfTree{10, 10}));
  for (int i = 41; i <= 130; ++i) sampler.sample(i * 50 * kMillisecond_ns, true);
  EXPECT_THAT(sampler.threads(), ElementsAre(ThreadOfTree{10, 10}, ThreadOfTree{11, 11}));
}

// In a few milliseconds, the ticks of the cores say more about themselves than about processes.
TEST(HostSampler, foreign_processes_are_not_looked_at_twice_within_a_quarter_of_a_second) {
  for (const std::int64_t end_ms : {240, 260}) {
    HostSampling run;
    run.host.process(90, {.name = "make"});
    run.host.clock(90, 0);
    HostSampler sampler = run.make();
    sampler.sample(0, true);
    run.host.clock(90, 100 * kMillisecond_ns);
    sampler.finish(end_ms * kMillisecond_ns, true);
    EXPECT_THAT(run.recording.values("foreign_cpu_usage"), SizeIs(end_ms < 250 ? 0 : 1)) << end_ms;
  }
}

TEST(HostSampler, survives_a_program_that_is_gone) {
  HostSampling run;
  HostSampler sampler = run.make();
  run.host.end(10);
  for (int i = 0; i < 25; ++i) sampler.sample(i * 50 * kMillisecond_ns, true);
  sampler.finish(2000 * kMillisecond_ns, true);
  EXPECT_THAT(run.recording.processes(), IsEmpty());
  EXPECT_THAT(sampler.threads(), IsEmpty());
}

TEST(HostSampler, writes_everything_again_into_a_new_file) {
  const testing::TemporaryFolder folder;
  HostSampling run;
  HostSampler sampler = run.make();
  for (int i = 0; i < 10; ++i) {
    run.run_until(i * 50 * kMillisecond_ns);
    sampler.sample(i * 50 * kMillisecond_ns, false);
  }
  run.recording.log().flush();
  ASSERT_TRUE(run.recording.writer().next_file((folder / "next").string()));
  run.recording.log().restart();
  sampler.restart();
  for (int i = 10; i < 30; ++i) {
    run.run_until(i * 50 * kMillisecond_ns);
    sampler.sample(i * 50 * kMillisecond_ns, false);
  }
  run.recording.log().flush();
  const std::string bytes = testing::bytes_of(folder / "next");
  for (const char* text : {"python3", "on_cpu_pct", "schedstat_oncpu_ns", "minor_faults", "core"}) {
    EXPECT_NE(bytes.find(text), std::string::npos) << text;
  }
}

// Real processes from here on.

// Samples a process for a while as a recorder does.
void sample_for(HostSampler& sampler, std::chrono::milliseconds duration) {
  const auto end = std::chrono::steady_clock::now() + duration;
  while (std::chrono::steady_clock::now() < end) {
    sampler.sample(wire::run_clock_ns(), false);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  sampler.sample(wire::run_clock_ns(), false);
}

// Of one core, in nanoseconds: taken by other virtual machines.
std::int64_t stolen_ns(int core) {
  std::ifstream stat("/proc/stat");
  const std::string wanted = "cpu" + std::to_string(core);
  for (std::string line; std::getline(stat, line);) {
    std::istringstream fields(line);
    std::string name;
    std::int64_t ticks = 0;
    fields >> name;
    if (name != wanted) continue;
    for (int i = 0; i < 8; ++i) fields >> ticks;
    return ticks * ns_per_tick_of_this_machine();
  }
  return 0;
}

struct SharedCore {
  double elapsed_ns = 0;
  double on_core_ns = 0;
  double waiting_ns = 0;
  double stolen_ns = 0;
};

// A process that shares its core with a busy neighbour, as the recording shows it.
SharedCore share_a_core(int core) {
  const test::BusyNeighbour recorded(core);
  const test::BusyNeighbour neighbour(core);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  HostRecording recording;
  HostSampler sampler(recording.log(), {.root = recorded.id(), .strobe = getpid()});
  sampler.sample(wire::run_clock_ns(), false);
  const std::int64_t stolen_before_ns = stolen_ns(core);
  // The wait in which it is at the end is not counted yet. The more others want the core the longer
  // that is, and the longer it is looked at.
  constexpr std::int64_t kEnough_ns = 700'000'000;
  const std::int64_t own_ns = process_cpu_ns(recorded.id()).value_or(0);
  const auto is_enough = [&] {
    return process_cpu_ns(recorded.id()).value_or(0) - own_ns >= kEnough_ns;
  };
  for (int turn = 0; turn < 300 && !is_enough(); ++turn) {
    sample_for(sampler, std::chrono::milliseconds(200));
  }
  SharedCore shared;
  shared.stolen_ns = static_cast<double>(stolen_ns(core) - stolen_before_ns);
  const auto on_core = recording.samples("schedstat_oncpu_ns", recorded.id());
  const auto waiting = recording.samples("schedstat_runq_ns", recorded.id());
  if (on_core.empty() || waiting.empty()) return shared;
  shared.elapsed_ns = static_cast<double>(on_core.back().time_ns - on_core.front().time_ns);
  shared.on_core_ns = static_cast<double>(on_core.back().value - on_core.front().value);
  shared.waiting_ns = static_cast<double>(waiting.back().value - waiting.front().value);
  return shared;
}

bool counts_waits_here() {
  std::ifstream file("/proc/self/schedstat");
  std::int64_t on_core_ns = 0;
  return file >> on_core_ns && on_core_ns > 0;
}

// Between two processes that can always run, the kernel divides a core evenly. On a machine that
// tests share, others may want the same core: then both wait longer, and in a second or two their
// turns need not be even. But the time on the core and the wait together are all the time there
// was.
TEST(HostSamplerForReal, a_process_that_shares_its_core_waits_half_of_the_time_or_more) {
  if (!counts_waits_here()) GTEST_SKIP() << "this kernel keeps no schedstat";
  SharedCore shared;
  for (int attempt = 0; attempt < 5; ++attempt) {
    shared = share_a_core(test::last_usable_core());
    if (shared.stolen_ns < 0.03 * shared.elapsed_ns) break;
  }
  if (shared.stolen_ns >= 0.03 * shared.elapsed_ns) {
    GTEST_SKIP() << "other virtual machines take this core";
  }
  ASSERT_GT(shared.on_core_ns, 0.6e9);
  EXPECT_NEAR((shared.on_core_ns + shared.waiting_ns + shared.stolen_ns) / shared.elapsed_ns, 1,
              0.04);
  EXPECT_GE(shared.waiting_ns, 0.45 * shared.elapsed_ns);
}

TEST(HostSamplerForReal, every_touched_page_is_a_fault) {
  constexpr std::size_t kBytes = 50'000'000;
  const auto page = static_cast<std::size_t>(page_bytes_of_this_machine());
  const test::Gate start;
  const test::Gate done;
  const test::ChildOfTest child([&] {
    void* const memory =
        mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) _exit(1);
    madvise(memory, kBytes, MADV_NOHUGEPAGE);  // a large page would be a single fault
    done.open();
    start.wait();
    for (std::size_t at = 0; at < kBytes; at += page) static_cast<volatile char*>(memory)[at] = 1;
    done.open();
    pause();
  });
  HostRecording recording;
  HostSampler sampler(recording.log(), {.root = child.id(), .strobe = getpid()});
  done.wait();
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  sampler.sample(wire::run_clock_ns(), false);
  start.open();
  done.wait();
  sampler.finish(wire::run_clock_ns(), false);
  const auto faults = recording.values("minor_faults", child.id());
  const auto resident = recording.values("process_rss_bytes", child.id());
  ASSERT_GE(faults.size(), 2u);
  const auto pages = static_cast<std::int64_t>((kBytes + page - 1) / page);
  EXPECT_GE(faults.back() - faults.front(), pages);
  // An address sanitizer reads one byte of its own for eight of the program.
  EXPECT_LE(faults.back() - faults.front(), pages + pages / 6);
  // The kernel's count of resident pages may lag behind by some per core.
  EXPECT_NEAR(static_cast<double>(resident.back() - resident.front()), static_cast<double>(kBytes),
              0.2 * kBytes);
  EXPECT_THAT(recording.values("page_faults", child.id(), child.id()),
              Contains(::testing::Ge(pages)));
}

TEST(HostSamplerForReal, a_process_with_a_quota_is_throttled) {
  const auto group = test::QuotaGroup::make(20'000);
  if (!group) GTEST_SKIP() << "this process may not make a control group with a CPU quota";
  const test::ChildOfTest child([] { test::spin(); });
  if (!group->add(child.id())) GTEST_SKIP() << "no process can be moved to the control group";
  HostRecording recording;
  HostSampler sampler(recording.log(), {.root = child.id(), .strobe = getpid()});
  sampler.sample(wire::run_clock_ns(), false);
  // On a busy machine it takes the process longer to use up its quota.
  constexpr long long kEnough_us = 100'000;
  for (int turn = 0; turn < 50 && group->throttled_us() < kEnough_us; ++turn) {
    sample_for(sampler, std::chrono::milliseconds(400));
  }
  const long long before_us = group->throttled_us();
  sampler.finish(wire::run_clock_ns(), false);
  if (before_us < kEnough_us) GTEST_SKIP() << "the machine is too busy to use up a quota";
  EXPECT_THAT(recording.values("cpu_quota_cores", child.id()), ElementsAre(20));
  const auto throttled = recording.values("cpu_quota_throttled_us", child.id());
  ASSERT_FALSE(throttled.empty());
  EXPECT_GE(throttled.back(), before_us);
  EXPECT_LE(throttled.back(), group->throttled_us());
}

TEST(HostSamplerForReal, follows_processes_and_threads_that_start_and_end) {
  const test::Gate start;
  const test::Gate done;
  const test::ChildOfTest child([&] {
    start.wait();
    std::thread second([] { std::this_thread::sleep_for(std::chrono::seconds(60)); });
    const test::ChildOfTest grandchild([] { pause(); });
    done.open();
    start.wait();
    _exit(0);
  });
  HostRecording recording;
  HostSampler sampler(recording.log(), {.root = child.id(), .strobe = getpid()});
  std::int64_t now_ns = wire::run_clock_ns();
  sampler.sample(now_ns, true);
  EXPECT_THAT(sampler.tree().processes(), SizeIs(1));
  EXPECT_THAT(sampler.threads(), SizeIs(1));
  start.open();
  done.wait();
  const auto has_all = [&] {
    return sampler.tree().processes().size() == 2 && sampler.threads().size() == 3;
  };
  for (int i = 0; i < 200 && !has_all(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    sampler.sample(now_ns += 300 * kMillisecond_ns, true);
  }
  ASSERT_THAT(sampler.tree().processes(), SizeIs(2));
  ASSERT_THAT(sampler.threads(), SizeIs(3));
  const pid_t grandchild = sampler.tree().processes().back().id;
  start.open();
  waitid(P_PID, static_cast<id_t>(child.id()), nullptr, WEXITED | WNOWAIT);
  while (kill(grandchild, 0) == 0) {  // it ends with its parent
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    sampler.sample(now_ns += 300 * kMillisecond_ns, true);
    if (!sampler.tree().contains(grandchild)) break;
  }
  sampler.sample(now_ns += 300 * kMillisecond_ns, true);
  EXPECT_THAT(sampler.tree().processes(), IsEmpty());
  sampler.finish(now_ns, true);
  EXPECT_THAT(recording.processes(), SizeIs(::testing::Ge(2)));
}

}  // namespace
}  // namespace strobe::record
