#include "strobe/record/sampler/proc_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/record/sampler/host_folder.h"

namespace strobe::record {
namespace {

TEST(TaskStatText, every_field_is_where_the_manual_says) {
  const std::string text = stat_text(4711, {.name = "python3",
                                            .state = 'R',
                                            .parent = 12,
                                            .minor_faults = 101,
                                            .major_faults = 3,
                                            .user_ticks = 40,
                                            .system_ticks = 2,
                                            .reaped_ticks = 5,
                                            .threads = 17,
                                            .start_ticks = 2487469,
                                            .resident_pages = 291,
                                            .core = 63});
  const auto stat = parse_task_stat(text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->id, 4711);
  EXPECT_EQ(stat->name, "python3");
  EXPECT_EQ(stat->state, 'R');
  EXPECT_EQ(stat->parent, 12);
  EXPECT_EQ(stat->minor_faults, 101u);
  EXPECT_EQ(stat->major_faults, 3u);
  EXPECT_EQ(stat->cpu_ticks, 42u);
  EXPECT_EQ(stat->reaped_ticks, 5u);
  EXPECT_EQ(stat->threads, 17u);
  EXPECT_EQ(stat->start_ticks, 2487469u);
  EXPECT_EQ(stat->resident_pages, 291u);
  EXPECT_EQ(stat->core, 63u);
  EXPECT_FALSE(stat->has_ended());
}

TEST(TaskStatText, a_name_may_look_like_the_end_of_a_name) {
  const std::string text = stat_text(7, {.name = "a) R 99 (b", .parent = 5});
  const auto stat = parse_task_stat(text);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->name, "a) R 99 (b");
  EXPECT_EQ(stat->parent, 5);
  EXPECT_EQ(stat->state, 'S');
}

TEST(TaskStatText, whatever_is_cut_off_before_its_end_is_refused) {
  const std::string text = stat_text(7, {.core = 3});
  const std::size_t behind_core = text.find(" 17 3 ") + 5;
  for (std::size_t size = 0; size < behind_core - 1; ++size) {
    EXPECT_FALSE(parse_task_stat(text.substr(0, size))) << text.substr(0, size);
  }
  EXPECT_TRUE(parse_task_stat(text.substr(0, behind_core)));
}

TEST(TaskStatText, a_word_instead_of_a_number_is_refused) {
  EXPECT_FALSE(parse_task_stat("7 (app) S one 7 7 0 -1 0 0"));
  EXPECT_FALSE(parse_task_stat("no stat at all"));
  EXPECT_FALSE(parse_task_stat(") ("));
  EXPECT_FALSE(parse_task_stat("7 (app) "));
}

TEST(SmallProcFiles, are_taken_apart) {
  const auto times = parse_scheduler_times("328966 64998 2\n");
  ASSERT_TRUE(times);
  EXPECT_EQ(*times, (SchedulerTimes{328966, 64998, 2}));
  EXPECT_FALSE(parse_scheduler_times("328966 64998\n"));
  EXPECT_FALSE(parse_scheduler_times(""));

  const auto switches = parse_switch_counts(
      "Name:\tvoluntary_ctxt_switches:\nvoluntary_ctxt_switches:\t15\n"
      "nonvoluntary_ctxt_switches:\t4\n");
  ASSERT_TRUE(switches);
  EXPECT_EQ(switches->voluntary, 15u);
  EXPECT_EQ(switches->forced, 4u);
  EXPECT_FALSE(parse_switch_counts("nonvoluntary_ctxt_switches:\t4\n"));

  const auto disk = parse_disk_bytes(
      "rchar: 1\nwchar: 2\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 77\n");
  ASSERT_TRUE(disk);
  EXPECT_EQ(disk->read, 4096u);
  EXPECT_EQ(disk->written, 8192u);
  EXPECT_FALSE(parse_disk_bytes("read_bytes: x\nwrite_bytes: 1\n"));

  EXPECT_EQ(parse_pressure_us("some avg10=2.28 avg60=1.16 avg300=1.12 total=10731611235\n"
                              "full avg10=0.00 avg60=0.00 avg300=0.00 total=7\n"),
            10731611235u);
  EXPECT_FALSE(parse_pressure_us("full avg10=0.00 total=7\n"));
  EXPECT_FALSE(parse_pressure_us("some avg10=2.28\nfull avg10=0 total=7\n"));
}

TEST(SmallProcFiles, of_the_machine_are_taken_apart) {
  // Guest time is part of user time and does not count twice.
  const auto ticks = parse_core_ticks("cpu  10 20 30 400 50 6 7 8 9 9\ncpu0 1 1 1 1\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->all, 531u);
  EXPECT_EQ(ticks->idle, 450u);
  EXPECT_EQ(ticks->stolen, 8u);
  EXPECT_EQ(parse_core_ticks("cpu  1 2 3 4\n")->all, 10u);  // a very old kernel
  EXPECT_FALSE(parse_core_ticks("cpu0 1 1 1 1\n"));
  EXPECT_FALSE(parse_core_ticks("cpu  1 2\n"));

  const auto load = parse_load_average("12.05 0.24 0.88 1/90 22505\n");
  ASSERT_TRUE(load);
  EXPECT_EQ(load->hundredths, 1205);
  EXPECT_EQ(load->newest, 22505u);
  EXPECT_FALSE(parse_load_average("many"));

  const auto memory = parse_machine_memory(
      "MemTotal:       24643328 kB\nMemFree: 1 kB\nMemAvailable:   24233672 kB\n");
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->total, 24643328u);
  EXPECT_EQ(memory->available, 24233672u);
  EXPECT_FALSE(parse_machine_memory("MemTotal: 5 kB\n"));
}

TEST(ProcFile, is_read_again_from_its_start) {
  const HostFolder host;
  host.write("proc/loadavg", "0.10");
  DescriptorBudget budget(1);
  ProcFile file(host.proc() + "/loadavg", budget);
  std::array<char, 64> buffer;
  EXPECT_EQ(file.read(buffer), "0.10");
  host.write("proc/loadavg", "7.25 or more");
  EXPECT_EQ(file.read(buffer), "7.25 or more");
}

TEST(ProcFile, that_is_gone_or_empty_gives_nothing) {
  const HostFolder host;
  host.write("proc/empty", "");
  DescriptorBudget budget(4);
  std::array<char, 64> buffer;
  EXPECT_FALSE(ProcFile(host.proc() + "/empty", budget).read(buffer));
  EXPECT_FALSE(ProcFile(host.proc() + "/none", budget).read(buffer));
  EXPECT_FALSE(ProcFile().read(buffer));
}

std::size_t open_files_of_this_process() {
  std::vector<pid_t> numbers;
  list_numbers("/proc/self/fd", numbers);
  return numbers.size();
}

TEST(ProcFile, stays_open_only_within_the_budget) {
  const HostFolder host;
  host.write("proc/a", "a");
  host.write("proc/b", "b");
  DescriptorBudget budget(1);
  std::array<char, 64> buffer;
  const std::size_t before = open_files_of_this_process();
  {
    ProcFile a(host.proc() + "/a", budget);
    ProcFile b(host.proc() + "/b", budget);
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(a.read(buffer), "a");
      EXPECT_EQ(b.read(buffer), "b");
    }
    EXPECT_EQ(open_files_of_this_process(), before + 1);
    ProcFile moved = std::move(a);
    EXPECT_EQ(moved.read(buffer), "a");
    a = std::move(moved);
    EXPECT_EQ(open_files_of_this_process(), before + 1);
  }
  EXPECT_EQ(open_files_of_this_process(), before);
  EXPECT_TRUE(budget.take());
  EXPECT_FALSE(budget.take());
}

TEST(NumbersInFolder, leave_out_other_names) {
  const HostFolder host;
  host.process(17);
  host.process(4);
  host.write("proc/17b/stat", "");
  host.write("proc/self/stat", "");
  std::vector<pid_t> numbers = {99};
  ASSERT_TRUE(list_numbers(host.proc().c_str(), numbers));
  EXPECT_THAT(numbers, ::testing::UnorderedElementsAre(4, 17));
  EXPECT_FALSE(list_numbers((host.proc() + "/none").c_str(), numbers));
  EXPECT_TRUE(numbers.empty());
}

TEST(ProcessClock, goes_on_while_the_process_runs) {
  const auto before = process_cpu_ns(getpid());
  ASSERT_TRUE(before);
  const std::int64_t thread_before = thread_cpu_ns();
  volatile unsigned work = 0;
  for (unsigned i = 0; i < 1'000'000; ++i) work = work + i;
  EXPECT_GT(*process_cpu_ns(getpid()), *before);
  EXPECT_GT(thread_cpu_ns(), thread_before);
  EXPECT_FALSE(process_cpu_ns(8'000'000));  // above the largest number of a process
}

}  // namespace
}  // namespace strobe::record
