#include "strobe/serve/trace_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "strobe/wire/run_file.h"
#include "tests/support/pickle_sketch.h"
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
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
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

TEST(TraceShelfTest, the_ranks_of_a_job_are_reduced_before_somebody_asks) {
  const LogFolder logs;
  logs.write_old("rank0.json", kOneSlice);
  TraceShelf shelf(folder_at(logs), {.load = load_really, .rescan = milliseconds(5)});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  EXPECT_FALSE((*shelf.find("rank0.json").trace)->has_digest()) << "one rank is no job";
  logs.write_old("rank1.json", kOneSlice);
  logs.write_old("unranked.json", kOneSlice);
  ASSERT_TRUE(eventually([&] { return states(shelf).size() == 3 && is_quiet(shelf); }));
  EXPECT_TRUE(eventually([&] { return (*shelf.find("rank1.json").trace)->has_digest(); }));
  EXPECT_FALSE((*shelf.find("unranked.json").trace)->has_digest());
}

TEST(TraceShelfTest, a_snapshot_of_an_allocator_says_that_it_is_one) {
  const LogFolder logs;
  logs.write_old("a.json", kOneSlice);
  logs.write_old("b.pickle", sketch::small_snapshot());
  TraceShelf shelf(folder_at(logs), {.load = load_really});
  ASSERT_TRUE(eventually([&] { return is_quiet(shelf); }));
  const ShelfView view = shelf.view();
  ASSERT_EQ(view.traces.size(), 2u);
  EXPECT_FALSE(view.traces[0].facts->is_snapshot);
  EXPECT_TRUE(view.traces[1].facts->is_snapshot);
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

// A run that is being recorded. Its file has as many slices as bytes after the first eight.
class GrowingRun {
 public:
  GrowingRun() { say("recording"); }

  void say(const std::string& state) {
    logs_.write("run.json", R"({"strobe_run":1,"recordings":[{"recorder":42,"state":")" + state +
                                "\"}]}" + std::string(++times_said_, ' '));
  }
  // A load may read while this writes: a file that grows never becomes shorter.
  void write(std::size_t slices) {
    const std::string magic(wire::kChunkMagic, sizeof wire::kChunkMagic);
    if (slices_ == 0 || slices < slices_) {
      logs_.write(kName, magic + std::string(slices, 'x'));
    } else {
      std::ofstream(logs_.path() / kName, std::ios::app) << std::string(slices - slices_, 'x');
    }
    slices_ = slices;
  }
  void write_samples(std::size_t bytes) { logs_.write("host-42.strobe", std::string(bytes, 'x')); }
  RunFolder folder() const {
    return std::move(RunFolder::open({(logs_.path() / kName).string()})).value();
  }
  // 0 slices cannot be read.
  Result<readers::LoadedTrace> load(const FoundTrace& found) {
    ++loads;
    const std::size_t bytes = std::filesystem::file_size(found.path);
    if (bytes <= sizeof wire::kChunkMagic)
      return Error{ErrorCode::kMalformed, "nothing in it yet", "", ""};
    const std::size_t slices = bytes - sizeof wire::kChunkMagic;
    std::string events;
    for (std::size_t i = 0; i < slices; ++i) {
      events += (i == 0 ? "" : ",") + std::string(R"({"ph":"X","name":"a","pid":1,"tid":1,"ts":)") +
                std::to_string(10 * i) + R"(,"dur":5})";
    }
    return readers::read_trace_bytes("[" + events + "]", kName);
  }
  ShelfOptions options(milliseconds reload = milliseconds(0)) {
    ShelfOptions options;
    options.load = [this](const FoundTrace& found, const readers::LoadOptions&) {
      return load(found);
    };
    options.rescan = std::chrono::hours(1);
    options.reload = reload;
    options.is_alive = [](auto, auto&) { return true; };
    return options;
  }

  static constexpr const char* kName = "process-7.strobe";
  std::atomic<int> loads = 0;

 private:
  LogFolder logs_;
  std::size_t slices_ = 0;
  std::size_t times_said_ = 0;
};

// Of the loaded content; 0 if there is none.
std::size_t slices_on(TraceShelf& shelf) {
  const auto found = shelf.find(GrowingRun::kName);
  return found.trace ? (*found.trace)->trace().slice_count() : 0;
}

TEST(TraceShelfTest, a_recording_is_loaded_at_once_and_again_when_it_has_grown_and_is_asked_for) {
  GrowingRun run;
  run.write(1);
  TraceShelf shelf(run.folder(), run.options());
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 1; })) << "it has not rested yet";
  EXPECT_TRUE(shelf.view().traces[0].edition.is_recording);
  const std::uint64_t before = shelf.view().traces[0].edition.generation;
  const std::uint64_t bytes = shelf.view().traces[0].found.stamp.bytes;
  run.write(3);
  shelf.rescan();
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(run.loads, 1) << "nobody looks at it";
  EXPECT_EQ(shelf.view().traces[0].state, TraceState::kReady);
  EXPECT_EQ(shelf.view().traces[0].found.stamp.bytes, bytes) << "as far as it is loaded";
  EXPECT_FALSE(shelf.view().is_loading);
  EXPECT_EQ(slices_on(shelf), 1u) << "the older content answers until the newer is there";
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 3; }));
  EXPECT_EQ(run.loads, 2);
  EXPECT_GT(shelf.view().traces[0].edition.generation, before);
}

TEST(TraceShelfTest, a_recording_is_not_loaded_again_before_its_time) {
  GrowingRun run;
  run.write(1);
  TraceShelf shelf(run.folder(), run.options(std::chrono::hours(1)));
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 1; }));
  run.write(2);
  shelf.rescan();
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(slices_on(shelf), 1u);
    std::this_thread::sleep_for(milliseconds(2));
  }
  EXPECT_EQ(run.loads, 1);
}

TEST(TraceShelfTest, a_recording_that_has_ended_is_loaded_a_last_time) {
  GrowingRun run;
  run.write(2);
  TraceShelf shelf(run.folder(), run.options());
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 2; }));
  ASSERT_EQ(shelf.view().recorded.size(), 1u);
  EXPECT_EQ(shelf.view().recorded.begin()->second->state, RunState::kRecording);
  run.say("finished");
  shelf.rescan();
  EXPECT_EQ(shelf.view().recorded.begin()->second->state, RunState::kFinished);
  ASSERT_TRUE(eventually([&] {
    const auto found = shelf.find(GrowingRun::kName);
    return found.trace && !(*found.trace)->edition().is_recording;
  }));
  EXPECT_EQ(run.loads, 2);
  shelf.rescan();
  EXPECT_EQ(slices_on(shelf), 2u);
  std::this_thread::sleep_for(milliseconds(20));
  EXPECT_EQ(run.loads, 2) << "nothing has changed since";
}

TEST(TraceShelfTest, samples_beside_a_recording_are_a_reason_to_load_it_again) {
  GrowingRun run;
  run.write(1);
  run.write_samples(1);
  TraceShelf shelf(run.folder(), run.options());
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 1; }));
  std::size_t bytes = 1;
  EXPECT_TRUE(eventually([&] {  // the clock of the file system has ticks
    run.write_samples(++bytes);
    shelf.rescan();
    slices_on(shelf);
    return run.loads >= 2;
  }));
}

TEST(TraceShelfTest, a_recording_that_cannot_be_read_yet_is_tried_again_without_a_complaint) {
  GrowingRun run;
  run.write(0);
  std::atomic<int> complaints = 0;
  ShelfOptions options = run.options();
  options.on_failure = [&](auto&, auto&) { ++complaints; };
  TraceShelf shelf(run.folder(), std::move(options));
  ASSERT_TRUE(eventually([&] { return states(shelf) == std::vector{TraceState::kFailed}; }));
  run.write(2);
  shelf.rescan();
  EXPECT_TRUE(eventually([&] { return slices_on(shelf) == 2; }));
  EXPECT_EQ(complaints, 0);
}

TEST(TraceShelfTest, a_recording_that_was_started_again_is_another_one) {
  GrowingRun run;
  run.write(5);
  TraceShelf shelf(run.folder(), run.options());
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 5; }));
  run.write(2);
  shelf.rescan();
  EXPECT_NE(slices_on(shelf), 5u) << "the older content is wrong, not old";
  EXPECT_TRUE(eventually([&] { return slices_on(shelf) == 2; }));
}

TEST(TraceShelfTest, no_trace_is_loaded_twice_at_once) {
  GrowingRun run;
  run.write(1);
  std::atomic<int> at_once = 0;
  std::atomic<int> most_at_once = 0;
  ShelfOptions options = run.options();
  options.threads = 8;
  options.load = [&](const FoundTrace& found, const readers::LoadOptions&) {
    most_at_once = std::max(most_at_once.load(), ++at_once);
    std::this_thread::sleep_for(milliseconds(5));
    auto loaded = run.load(found);
    --at_once;
    return loaded;
  };
  TraceShelf shelf(run.folder(), std::move(options));
  for (std::size_t slices = 2; slices < 12; ++slices) {
    run.write(slices);
    shelf.rescan();
    slices_on(shelf);
    std::this_thread::sleep_for(milliseconds(2));
  }
  ASSERT_TRUE(eventually([&] { return slices_on(shelf) == 11; }));
  EXPECT_EQ(most_at_once, 1);
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
  EXPECT_TRUE(shelf->finish(std::chrono::seconds(60)));
}

}  // namespace
}  // namespace strobe::serve
