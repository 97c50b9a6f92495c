#include "strobe/record/inject/activity/nvtx_ranges.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temporary_folder.h"
#include "tests/unit/record/inject/activity/nvtx_written_file.h"

namespace strobe::record {
namespace {

using testing::TemporaryFolder;
using wire::PayloadType;
using wire::RangeWhat;

NvtxEvent named_event(const char* name) {
  NvtxEvent event;
  event.message = NvtxMessage::text(name);
  return event;
}

std::uint64_t my_thread_id() { return static_cast<std::uint64_t>(syscall(SYS_gettid)); }

class NvtxRangesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(file_.open((folder_ / "1.strobe").string()));
    ranges_.open(file_, threads_, false);
  }
  WrittenFile written(const char* name = "1.strobe") {
    ranges_.finish();
    file_.close();
    return read_written(folder_ / name);
  }
  void make(const char* name) {
    ranges_.push(0, named_event(name));
    ranges_.pop(0);
  }

  TemporaryFolder folder_;
  wire::RunFileWriter file_;
  ThreadNumbers threads_{file_};
  NvtxRanges ranges_;
};

TEST_F(NvtxRangesTest, nested_ranges_have_levels_times_and_payloads) {
  NvtxEvent step = named_event("step");
  step.payload_type = PayloadType::kReal;
  step.payload = std::bit_cast<std::uint64_t>(0.25);
  const std::int64_t before_ns = wire::run_clock_ns();
  EXPECT_EQ(ranges_.push(0, step), 0);
  EXPECT_EQ(ranges_.push(0, named_event("load")), 1);
  EXPECT_EQ(ranges_.pop(0), 1);
  EXPECT_EQ(ranges_.pop(0), 0);
  EXPECT_EQ(ranges_.pop(0), -1);
  const std::int64_t after_ns = wire::run_clock_ns();
  const WrittenFile file = written();
  ASSERT_EQ(file.ranges.size(), 2u);
  const WrittenRange outer = file.only("step");
  const WrittenRange inner = file.only("load");
  EXPECT_EQ(outer.what, RangeWhat::kNested);
  EXPECT_EQ(outer.thread_id, my_thread_id());
  EXPECT_EQ(outer.payload_type, PayloadType::kReal);
  EXPECT_EQ(outer.payload, std::bit_cast<std::uint64_t>(0.25));
  EXPECT_EQ(inner.payload_type, PayloadType::kNone);
  EXPECT_LE(before_ns, outer.start_ns);
  EXPECT_LE(outer.start_ns, inner.start_ns);
  EXPECT_LE(inner.start_ns + inner.duration_ns, outer.start_ns + outer.duration_ns);
  EXPECT_LE(outer.start_ns + outer.duration_ns, after_ns);
  EXPECT_EQ(ranges_.counts().written, 2u);
}

TEST_F(NvtxRangesTest, each_domain_has_its_own_levels_and_is_found_by_its_name) {
  const NvtxHandle storage = ranges_.make_domain(NvtxMessage::text("storage"));
  const NvtxHandle network = ranges_.make_domain(NvtxMessage::text("network"));
  EXPECT_NE(storage, network);
  EXPECT_NE(storage, 0u);
  EXPECT_EQ(ranges_.make_domain(NvtxMessage::text("storage")), storage);
  EXPECT_EQ(ranges_.push(0, named_event("outer")), 0);
  EXPECT_EQ(ranges_.push(storage, named_event("read")), 0);
  EXPECT_EQ(ranges_.push(network, named_event("send")), 0);
  EXPECT_EQ(ranges_.push(storage, named_event("seek")), 1);
  EXPECT_EQ(ranges_.pop(network), 0);
  EXPECT_EQ(ranges_.pop(storage), 1);
  EXPECT_EQ(ranges_.pop(storage), 0);
  EXPECT_EQ(ranges_.pop(0), 0);
  const WrittenFile file = written();
  EXPECT_EQ(file.only("outer").domain, "");
  EXPECT_EQ(file.only("seek").domain, "storage");
  EXPECT_EQ(file.only("send").domain, "network");
}

TEST_F(NvtxRangesTest, more_domains_than_there_is_room_for_are_the_default_one) {
  NvtxHandle last = 1;
  for (int i = 0; i < 2000; ++i) {
    last = ranges_.make_domain(NvtxMessage::text(("domain " + std::to_string(i)).c_str()));
  }
  EXPECT_EQ(last, 0u);
  EXPECT_NE(ranges_.make_domain(NvtxMessage::text("domain 7")), 0u);
}

TEST_F(NvtxRangesTest, a_free_range_belongs_to_the_thread_where_it_began) {
  std::uint64_t id = 0;
  std::uint64_t other_thread = 0;
  std::thread([&] {
    other_thread = my_thread_id();
    id = ranges_.start(0, named_event("request"));
  }).join();
  const std::uint64_t second = ranges_.start(0, named_event("other request"));
  EXPECT_NE(id, 0u);
  EXPECT_NE(id, second);
  ranges_.end(id);
  ranges_.end(id);  // means nothing
  ranges_.end(second);
  const WrittenFile file = written();
  EXPECT_EQ(file.ranges.size(), 2u);
  EXPECT_EQ(file.only("request").what, RangeWhat::kFree);
  EXPECT_EQ(file.only("request").thread_id, other_thread);
  EXPECT_EQ(file.only("other request").thread_id, my_thread_id());
}

TEST_F(NvtxRangesTest, a_mark_has_no_length) {
  ranges_.mark(0, named_event("here"));
  const WrittenFile file = written();
  EXPECT_EQ(file.only("here").what, RangeWhat::kMark);
  EXPECT_EQ(file.only("here").duration_ns, 0);
}

TEST_F(NvtxRangesTest, what_is_open_at_the_end_ends_there) {
  std::thread([&] { ranges_.push(0, named_event("of a thread")); }).join();
  ranges_.push(0, named_event("outer"));
  ranges_.push(0, named_event("inner"));
  ranges_.start(0, named_event("free"));
  const std::int64_t before_ns = wire::run_clock_ns();
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{
                               {"of a thread", 1}, {"outer", 1}, {"inner", 1}, {"free", 1}}));
  const WrittenRange outer = file.only("outer");
  EXPECT_GE(outer.start_ns + outer.duration_ns, before_ns);
  const WrittenRange of_thread = file.only("of a thread");
  EXPECT_LE(of_thread.start_ns + of_thread.duration_ns, before_ns);
  EXPECT_EQ(ranges_.counts().open_at_end, 4u);
  EXPECT_EQ(file.notes.size(), 1u);
  EXPECT_EQ(file.notes.begin()->second, 4u);
  EXPECT_EQ(ranges_.pop(0), 1);  // the program may go on
  EXPECT_EQ(ranges_.push(0, named_event("late")), 1);
  EXPECT_EQ(ranges_.pop(0), 1);
  EXPECT_EQ(ranges_.pop(0), 0);
}

TEST_F(NvtxRangesTest, a_full_log_is_written_without_anybody_asking) {
  for (std::size_t i = 0; i < 3 * RangeLog::kMostRows + 5; ++i) make("forward");
  const WrittenFile so_far = read_written(folder_ / "1.strobe");
  EXPECT_EQ(so_far.ranges.size(), 3 * RangeLog::kMostRows);
  ranges_.flush();
  EXPECT_EQ(read_written(folder_ / "1.strobe").ranges.size(), 3 * RangeLog::kMostRows + 5);
}

TEST_F(NvtxRangesTest, no_range_is_lost_or_doubled_while_others_flush_and_the_file_restarts) {
  std::atomic<bool> is_over = false;
  std::thread keeper([&] {
    for (int turn = 0; !is_over; ++turn) {
      ranges_.flush();
      if (turn % 8 != 0) continue;
      ranges_.hold_file();
      file_.next_segment();
      threads_.restart();
      ranges_.restart();
    }
  });
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([this, number] {
      const std::string name = "thread " + std::to_string(number);
      for (int i = 0; i < 5000; ++i) {
        ranges_.push(0, named_event(name.c_str()));
        make("inner");
        ranges_.pop(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  is_over = true;
  keeper.join();
  const WrittenFile file = written();
  EXPECT_EQ(file.damaged, 0u);
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"inner", 20'000},
                                                       {"thread 0", 5000},
                                                       {"thread 1", 5000},
                                                       {"thread 2", 5000},
                                                       {"thread 3", 5000}}));
}

TEST_F(NvtxRangesTest, the_next_file_can_be_read_without_the_one_before) {
  const auto thread_id = static_cast<std::uint32_t>(my_thread_id());
  const NvtxHandle domain = ranges_.make_domain(NvtxMessage::text("storage"));
  ranges_.name_thread(thread_id, NvtxMessage::text("loader"));
  ranges_.push(domain, named_event("read"));
  ranges_.pop(domain);
  make("forward");
  ranges_.hold_file();
  ASSERT_TRUE(file_.next_file((folder_ / "2.strobe").string()));
  threads_.restart();
  ranges_.restart();
  make("backward");
  ranges_.push(domain, named_event("read"));
  ranges_.pop(domain);
  const WrittenFile second = written("2.strobe");
  const WrittenFile first = read_written(folder_ / "1.strobe");
  EXPECT_EQ(first.counts(), (std::map<std::string, int>{{"read", 1}, {"forward", 1}}));
  EXPECT_EQ(second.counts(), (std::map<std::string, int>{{"read", 1}, {"backward", 1}}));
  EXPECT_EQ(second.only("read").domain, "storage");
  EXPECT_EQ(second.only("read").thread_id, thread_id);
  const std::string key = "thread." + std::to_string(thread_id) + ".name";
  EXPECT_EQ(first.facts.at(key), "loader");
  EXPECT_EQ(second.facts.at(key), "loader");
}

TEST_F(NvtxRangesTest, in_a_pause_only_ranges_that_reach_out_of_it_are_recorded) {
  ranges_.pause();
  make("wholly outside");
  ranges_.mark(0, named_event("mark outside"));
  ranges_.push(0, named_event("around the window"));
  ranges_.push(0, named_event("into the window"));
  const std::uint64_t free = ranges_.start(0, named_event("free into the window"));
  const std::int64_t opened_ns = wire::run_clock_ns();
  ranges_.resume();
  EXPECT_EQ(ranges_.pop(0), 1);
  ranges_.end(free);
  make("inside");
  ranges_.push(0, named_event("out of the window"));
  ranges_.pause();
  EXPECT_EQ(ranges_.pop(0), 1);
  EXPECT_EQ(ranges_.pop(0), 0);
  make("outside again");
  ranges_.push(0, named_event("open outside"));
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"around the window", 1},
                                                       {"into the window", 1},
                                                       {"free into the window", 1},
                                                       {"inside", 1},
                                                       {"out of the window", 1}}));
  EXPECT_LT(file.only("into the window").start_ns, opened_ns);
  EXPECT_GE(file.only("inside").start_ns, opened_ns);
}

TEST_F(NvtxRangesTest, a_category_may_be_named_after_it_was_used) {
  const NvtxHandle domain = ranges_.make_domain(NvtxMessage::text("storage"));
  for (const NvtxHandle handle : {NvtxHandle{0}, domain}) {
    NvtxEvent event = named_event(handle == 0 ? "default" : "of the domain");
    event.category = 3;
    ranges_.push(handle, event);
    ranges_.pop(handle);
  }
  NvtxEvent nameless = named_event("nameless");
  nameless.category = 4;
  ranges_.mark(0, nameless);
  ranges_.name_category(0, 3, NvtxMessage::text("loading"));
  ranges_.name_category(domain, 3, NvtxMessage::wide(L"lesen"));
  const WrittenFile file = written();
  EXPECT_EQ(file.only("default").category, "loading");
  EXPECT_EQ(file.only("of the domain").category, "lesen");
  EXPECT_EQ(file.only("nameless").category, "4");
}

TEST_F(NvtxRangesTest, operators_of_torch_are_few_names_with_their_number_as_payload) {
  for (int i = 0; i < 500; ++i) {
    make(("aten::add, seq = " + std::to_string(i) + ", op_id = 9").c_str());
  }
  NvtxEvent with_payload = named_event("aten::mul, seq = 5, op_id = 9");
  with_payload.payload_type = PayloadType::kSigned;
  with_payload.payload = 77;
  ranges_.mark(0, with_payload);
  const WrittenFile file = written();
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"aten::add, seq = payload", 500},
                                                       {"aten::mul, seq = 5, op_id = 9", 1}}));
  EXPECT_EQ(file.ranges.at(321).payload_type, PayloadType::kUnsigned);
  EXPECT_EQ(file.ranges.at(321).payload, 321u);
  EXPECT_EQ(file.only("aten::mul, seq = 5, op_id = 9").payload, 77u);
  EXPECT_LT(file.texts, 10u);
}

TEST_F(NvtxRangesTest, ranges_that_are_never_ended_keep_their_levels_and_are_counted) {
  for (int i = 0; i < 5000; ++i) EXPECT_EQ(ranges_.push(0, named_event("forgotten")), i);
  EXPECT_EQ(ranges_.pop(0), 4999);
  constexpr int kFreeRanges = 70'000;
  for (int i = 0; i < kFreeRanges; ++i) EXPECT_NE(ranges_.start(0, named_event("leak")), 0u);
  const WrittenFile file = written();
  const auto kept = static_cast<int>(RangeStack::kMostOpen);
  std::map<std::string, int> counts = file.counts();
  EXPECT_EQ(counts["forgotten"], kept);
  EXPECT_EQ(counts["leak"], 65'536);
  EXPECT_EQ(ranges_.counts().lost,
            static_cast<std::uint64_t>(5000 - kept + kFreeRanges - counts["leak"]));
  EXPECT_EQ(file.notes.size(), 2u);
}

TEST_F(NvtxRangesTest, a_forked_child_keeps_its_levels_and_writes_nothing) {
  const NvtxHandle domain = ranges_.make_domain(NvtxMessage::text("storage"));
  ranges_.push(0, named_event("before"));
  ranges_.flush();
  const std::string bytes_before = testing::bytes_of(folder_ / "1.strobe");
  const pid_t child = fork();
  if (child == 0) {
    file_.abandon();
    ranges_.abandon();
    bool is_right = ranges_.push(0, named_event("child")) == 1;
    const NvtxHandle new_domain = ranges_.make_domain(NvtxMessage::text("of the child"));
    is_right &= new_domain != 0 && new_domain != domain;
    is_right &= ranges_.make_domain(NvtxMessage::text("storage")) == domain;
    is_right &= ranges_.push(new_domain, named_event("child")) == 0;
    is_right &= ranges_.pop(new_domain) == 0;
    is_right &= ranges_.pop(new_domain) == -1;
    std::thread([&] {
      is_right &= ranges_.push(0, named_event("thread of the child")) == 0;
      is_right &= ranges_.pop(0) == 0;
    }).join();
    is_right &= ranges_.start(0, named_event("child")) != 0;
    ranges_.mark(0, named_event("child"));
    ranges_.register_text(NvtxMessage::text("child"));
    ranges_.name_category(0, 1, NvtxMessage::text("child"));
    ranges_.name_thread(1, NvtxMessage::text("child"));
    is_right &= ranges_.pop(0) == 1;
    is_right &= ranges_.pop(0) == 0;
    ranges_.flush();
    ranges_.finish();
    _exit(is_right ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(testing::bytes_of(folder_ / "1.strobe"), bytes_before);
  EXPECT_EQ(ranges_.pop(0), 0);
  EXPECT_EQ(written().counts(), (std::map<std::string, int>{{"before", 1}}));
}

// Whatever the other threads hold at that moment, the child must not wait for it.
TEST_F(NvtxRangesTest, a_fork_at_any_moment_leaves_a_child_that_goes_on) {
  std::atomic<bool> is_over = false;
  std::thread keeper([&] {
    while (!is_over) ranges_.flush();
  });
  std::thread worker([&] {
    for (int i = 0; !is_over; ++i) make(("name " + std::to_string(i % 1000)).c_str());
  });
  for (int turn = 0; turn < 30; ++turn) {
    for (int i = 0; i < 50; ++i) make("parent");
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // ends a child that waits
      file_.abandon();
      ranges_.abandon();
      make("child");
      ranges_.end(ranges_.start(0, named_event("child")));
      const NvtxHandle domain = ranges_.make_domain(NvtxMessage::text("of the child"));
      _exit(ranges_.push(domain, named_event("child")));
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  is_over = true;
  keeper.join();
  worker.join();
  std::map<std::string, int> counts = written().counts();
  EXPECT_EQ(counts["parent"], 1500);
  EXPECT_EQ(counts["child"], 0);
}

NvtxRanges* ranges_of_handler = nullptr;
void make_range_in_handler(int) {
  if (ranges_of_handler->push(0, named_event("in a handler")) >= 0) ranges_of_handler->pop(0);
}

// A handler may take memory here, when it is the one that fills the log: the thread sanitizer is
// told to allow that. That a handler interrupts the program's own malloc is the program's risk.
TEST_F(NvtxRangesTest, a_signal_handler_may_make_ranges_at_any_moment) {
  ranges_of_handler = &ranges_;
  struct sigaction action = {};
  struct sigaction action_before = {};
  action.sa_handler = make_range_in_handler;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, &action_before);
  const itimerval often = {{0, 100}, {0, 100}};
  setitimer(ITIMER_REAL, &often, nullptr);
  constexpr int kRounds = 50'000;
  for (int i = 0; i < kRounds; ++i) make("program");
  const itimerval never = {};
  setitimer(ITIMER_REAL, &never, nullptr);
  sigaction(SIGALRM, &action_before, nullptr);
  EXPECT_EQ(ranges_.pop(0), -1);
  EXPECT_EQ(written().counts()["program"], kRounds);
}

TEST_F(NvtxRangesTest, a_full_disk_costs_ranges_and_nothing_else) {
  make("before");
  ranges_.flush();
  {
    const testing::FullDisk full_disk;
    errno = EINTR;
    for (std::size_t i = 0; i < RangeLog::kMostRows; ++i) make("lost");
    EXPECT_EQ(errno, EINTR);
  }
  make("after");
  const WrittenFile file = written();
  EXPECT_EQ(file.damaged, 0u);
  EXPECT_EQ(file.counts(), (std::map<std::string, int>{{"before", 1}, {"after", 1}}));
  EXPECT_EQ(file_.lost_rows(), RangeLog::kMostRows);
}

TEST(NvtxRangesRedacted, no_text_of_the_program_is_in_the_file) {
  const TemporaryFolder folder;
  wire::RunFileWriter file;
  ASSERT_TRUE(file.open((folder / "1.strobe").string()));
  ThreadNumbers threads(file);
  NvtxRanges ranges;
  ranges.open(file, threads, true);
  const NvtxHandle domain = ranges.make_domain(NvtxMessage::text("secret domain"));
  NvtxEvent event = named_event("secret range");
  event.category = 2;
  ranges.name_category(domain, 2, NvtxMessage::text("secret category"));
  ranges.name_thread(static_cast<std::uint32_t>(my_thread_id()), NvtxMessage::text("secret name"));
  ranges.push(domain, event);
  ranges.pop(domain);
  ranges.finish();
  file.close();
  EXPECT_EQ(testing::bytes_of(folder / "1.strobe").find("secret"), std::string::npos);
  EXPECT_EQ(read_written(folder / "1.strobe").ranges.size(), 1u);
}

TEST(NvtxRangesUnopened, levels_are_right_before_anything_is_recorded) {
  NvtxRanges ranges;
  EXPECT_FALSE(ranges.is_open());
  EXPECT_EQ(ranges.push(0, named_event("early")), 0);
  EXPECT_EQ(ranges.pop(0), 0);
  ranges.flush();
  ranges.finish();
  EXPECT_EQ(ranges.counts().written, 0u);
}

}  // namespace
}  // namespace strobe::record
