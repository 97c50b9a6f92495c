#include "strobe/serve/trace_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "tests/support/temporary_folder.h"

namespace strobe::serve {
namespace {

using std::chrono::milliseconds;
using test::kOneSlice;
using test::LogFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Result<readers::LoadedTrace> load_really(const FoundTrace& found,
                                         const readers::LoadOptions& options) {
  return readers::read_trace(found.path, options);
}

RunFolder folder_at(const LogFolder& logs) {
  return std::move(RunFolder::open({logs.path().string()})).value();
}

bool eventually(const std::function<bool()>& holds) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < deadline) {
    if (holds()) return true;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return false;
}

std::vector<TraceState> states(const TraceShelf& shelf) {
  std::vector<TraceState> all;
  for (const ShelvedTrace& trace : shelf.view().traces) all.push_back(trace.state);
  return all;
}

bool is_quiet(const TraceShelf& shelf) { return !shelf.view().is_loading; }

// A load that waits until the test lets it continue, one by one, and notes the order.
class Gate {
 public:
  Result<readers::LoadedTrace> load(const FoundTrace& found, const readers::LoadOptions& options) {
    std::unique_lock lock(mutex_);
    order_.push_back(found.name);
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_ > 0 || *options.cancelled; });
    if (*options.cancelled) return Error{ErrorCode::kInterrupted, "interrupted", "", ""};
    --open_;
    lock.unlock();
    return load_really(found, options);
  }
  void let_through(int count) {
    const std::scoped_lock lock(mutex_);
    open_ += count;
    changed_.notify_all();
  }
  void wake() { changed_.notify_all(); }
  std::vector<std::string> order() {
    const std::scoped_lock lock(mutex_);
    return order_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int open_ = 0;
  std::vector<std::string> order_;
};

TEST(TraceShelfTest, all_traces_load_in_the_background_and_say_what_they_are) {
  const LogFolder logs;
  logs.write_old("a.json", kOneSlice);
  logs.write_old("b.json", kOneSlice);
  TraceShelf shelf(folder_at(logs), {.load = load_really});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  const ShelfView view = shelf.view();
  ASSERT_EQ(view.traces.size(), 2u);
  EXPECT_EQ(view.traces[0].state, TraceState::kReady);
  EXPECT_EQ(view.traces[0].progress, 1);
  EXPECT_EQ(view.traces[0].facts->slices, 1u);
  EXPECT_EQ(view.traces[0].facts->span_ns, 2000);
  const auto found = shelf.find("b.json");
  ASSERT_TRUE(found.trace);
  EXPECT_EQ((*found.trace)->name(), "b.json");
}

TEST(TraceShelfTest, an_unreadable_trace_keeps_its_error_and_the_others_load) {
  const LogFolder logs;
  logs.write_old("bad.pt.trace.json", "no json");
  logs.write_old("good.json", kOneSlice);
  std::atomic<int> told = 0;
  TraceShelf shelf(folder_at(logs),
                   {.load = load_really, .on_failure = [&](auto&, auto&) { ++told; }});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  EXPECT_THAT(states(shelf), ElementsAre(TraceState::kFailed, TraceState::kReady));
  const auto found = shelf.find("bad.pt.trace.json");
  ASSERT_FALSE(found.trace);
  EXPECT_FALSE(found.is_loading);
  EXPECT_EQ(found.trace.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(found.trace.error().where, "bad.pt.trace.json");
  EXPECT_EQ(told, 1);
}

TEST(TraceShelfTest, a_trace_whose_loading_throws_has_failed) {
  const LogFolder logs;
  logs.write_old("a.json", kOneSlice);
  const auto load = [](const FoundTrace&,
                       const readers::LoadOptions&) -> Result<readers::LoadedTrace> {
    throw std::runtime_error("a bug");
  };
  TraceShelf shelf(folder_at(logs), {.load = load});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  EXPECT_THAT(states(shelf), ElementsAre(TraceState::kFailed));
  EXPECT_EQ(shelf.find("a.json").trace.error().what, "a bug");
}

TEST(TraceShelfTest, an_unknown_name_is_not_found_and_never_a_path) {
  const LogFolder logs;
  logs.write_old("run/a.json", kOneSlice);
  TraceShelf shelf(folder_at(logs), {.load = load_really});
  for (const std::string& name :
       {std::string("b.json"), std::string("../a.json"), std::string(""),
        std::string("run/../run/a.json"), (logs.path() / "run/a.json").string(),
        std::string("run/a.json\0", 11)}) {
    const auto found = shelf.find(name);
    ASSERT_FALSE(found.trace) << name;
    EXPECT_EQ(found.trace.error().code, ErrorCode::kNotFound);
  }
}

TEST(TraceShelfTest, lists_of_kernels_are_shown_as_they_come_and_go) {
  const LogFolder logs;
  TraceShelf shelf(folder_at(logs), {.load = load_really});
  const std::uint64_t before = shelf.view().generation;
  const auto file = logs.write_old("k.txt", "Kernel Latency Tensor DRAM\n");
  shelf.rescan();
  ASSERT_EQ(shelf.view().kernel_files.size(), 1u);
  EXPECT_EQ(shelf.view().kernel_files[0].name, "k.txt");
  EXPECT_FALSE(shelf.view().is_loading);
  EXPECT_GT(shelf.view().generation, before);
  std::filesystem::remove(file);
  shelf.rescan();
  EXPECT_TRUE(shelf.view().kernel_files.empty());
}

TEST(TraceShelfTest, what_is_asked_for_is_loaded_first) {
  const LogFolder logs;
  for (const char* name : {"a.json", "b.json", "c.json", "d.json"}) logs.write_old(name, kOneSlice);
  Gate gate;
  TraceShelf shelf(folder_at(logs),
                   {.load = [&](auto& f, auto& o) { return gate.load(f, o); }, .threads = 1});
  ASSERT_TRUE(eventually([&] { return gate.order().size() == 1; }));
  const auto found = shelf.find("d.json");
  EXPECT_FALSE(found.trace);
  EXPECT_TRUE(found.is_loading);
  EXPECT_THAT(found.trace.error().what, HasSubstr("waiting"));
  gate.let_through(4);
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  EXPECT_THAT(gate.order(), ElementsAre("a.json", "d.json", "b.json", "c.json"));
}

TEST(TraceShelfTest, the_least_recently_used_trace_makes_room_and_comes_back) {
  const LogFolder logs;
  for (const char* name : {"a.json", "b.json"}) logs.write_old(name, kOneSlice);
  std::atomic<int> loads = 0;
  TraceShelf shelf(folder_at(logs), {.load =
                                         [&](auto& f, auto& o) {
                                           ++loads;
                                           return load_really(f, o);
                                         },
                                     .memory_bytes = 1,
                                     .threads = 1});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  // One trace already exceeds the budget: the other waits until it is requested.
  EXPECT_THAT(states(shelf), ElementsAre(TraceState::kReady, TraceState::kQueued));
  const auto first = shelf.find("a.json");
  ASSERT_TRUE(first.trace);
  EXPECT_TRUE(shelf.find("b.json").is_loading);
  ASSERT_TRUE(eventually([&] { return shelf.find("b.json").trace.has_value(); }));
  EXPECT_EQ((*first.trace)->trace().slice_count(), 1u);  // it stays valid for its user
  EXPECT_TRUE(shelf.find("a.json").is_loading);
  ASSERT_TRUE(eventually([&] { return shelf.find("a.json").trace.has_value(); }));
  EXPECT_EQ(loads, 3);
}

TEST(TraceShelfTest, a_new_file_is_noticed_and_a_removed_one_forgotten) {
  const LogFolder logs;
  TraceShelf shelf(folder_at(logs), {.load = load_really, .rescan = milliseconds(10)});
  const std::uint64_t before = shelf.view().generation;
  const auto file = logs.write_old("new.json", kOneSlice);
  ASSERT_TRUE(eventually([&] { return shelf.find("new.json").trace.has_value(); }));
  EXPECT_GT(shelf.view().generation, before);
  std::filesystem::remove(file);
  EXPECT_TRUE(eventually([&] { return shelf.view().traces.empty(); }));
}

TEST(TraceShelfTest, a_replaced_file_is_loaded_again) {
  const LogFolder logs;
  logs.write_old("a.json", kOneSlice);
  TraceShelf shelf(folder_at(logs), {.load = load_really, .rescan = milliseconds(10)});
  ASSERT_TRUE(eventually([&] { return shelf.find("a.json").trace.has_value(); }));
  std::string longer(kOneSlice.substr(0, kOneSlice.size() - 2));
  longer += R"(,{"ph": "X", "name": "b", "ts": 5, "dur": 2, "pid": 1, "tid": 1}]})";
  logs.write("a.json", longer);
  EXPECT_TRUE(eventually([&] {
    const auto found = shelf.find("a.json");
    return found.trace && (*found.trace)->trace().slice_count() == 2;
  }));
}

TEST(TraceShelfTest, a_repaired_file_is_tried_again) {
  const LogFolder logs;
  logs.write_old("a.pt.trace.json", "broken");
  TraceShelf shelf(folder_at(logs), {.load = load_really, .rescan = milliseconds(10)});
  ASSERT_TRUE(eventually([&] { return states(shelf) == std::vector{TraceState::kFailed}; }));
  logs.write("a.pt.trace.json", kOneSlice);
  EXPECT_TRUE(eventually([&] { return shelf.find("a.pt.trace.json").trace.has_value(); }));
}

TEST(TraceShelfTest, a_file_that_grows_waits_until_it_rests) {
  const LogFolder logs;
  const std::string name = "a.pt.trace.json";
  logs.write(name, kOneSlice);  // just now: it may still be written
  std::atomic<int> loads = 0;
  TraceShelf shelf(folder_at(logs), {.load =
                                         [&](auto& f, auto& o) {
                                           ++loads;
                                           return load_really(f, o);
                                         },
                                     .rescan = std::chrono::hours(1)});
  for (std::size_t i = 1; i <= 4; ++i) {
    logs.write(name, std::string(kOneSlice) + std::string(i, ' '));
    shelf.rescan();
    EXPECT_TRUE(shelf.find(name).is_loading);
    EXPECT_THAT(states(shelf), ElementsAre(TraceState::kQueued));
  }
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(loads, 0);
  shelf.rescan();  // nothing has changed since the last scan
  EXPECT_TRUE(eventually([&] { return shelf.find(name).trace.has_value(); }));
  EXPECT_EQ(loads, 1);
}

TEST(TraceShelfTest, stopping_interrupts_what_is_being_loaded) {
  const LogFolder logs;
  logs.write_old("a.json", kOneSlice);
  Gate gate;
  auto shelf = std::make_unique<TraceShelf>(
      folder_at(logs), ShelfOptions{.load = [&](auto& f, auto& o) { return gate.load(f, o); }});
  ASSERT_TRUE(eventually([&] { return gate.order().size() == 1; }));
  EXPECT_FALSE(shelf->finish(milliseconds(10)));
  shelf->stop();
  gate.wake();
  EXPECT_TRUE(shelf->finish(milliseconds(5000)));
}

}  // namespace
}  // namespace strobe::serve
