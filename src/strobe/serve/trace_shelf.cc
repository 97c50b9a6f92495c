#include "strobe/serve/trace_shelf.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <thread>

#include <fmt/format.h>

#include "strobe/report/summary/import_warning.h"

namespace strobe::serve {
namespace {

using Clock = std::chrono::steady_clock;

constexpr unsigned kMostLoaders = 4;
// A file untouched for this long is not being written.
constexpr std::int64_t kSettledNs = 2'000'000'000;
// Scanning the folder may take this part of the time.
constexpr int kScanShare = 10;
constexpr double kProgressStep = 0.01;
// Columns, and data that answers derive from them: launches, trees, tiles.
constexpr std::uint64_t kBytesPerSlice = 200;

TraceFacts facts_of(const readers::LoadedTrace& loaded, const std::string& name) {
  const Metadata& metadata = loaded.trace.metadata();
  return {.dialect = metadata.traits.dialect,
          .device = metadata.devices.empty() ? "" : metadata.devices[0].name,
          .rank = metadata.distributed.rank,
          .slices = loaded.trace.slice_count(),
          .span_ns = loaded.trace.extent().length_ns(),
          .import_warning = report::import_warning(name, loaded.report)};
}

std::uint64_t memory_of(const Trace& trace) {
  return trace.slice_count() * kBytesPerSlice + trace.args().bytes() + trace.strings().bytes();
}

struct Loaded {
  TraceFacts facts;
  std::uint64_t bytes = 0;
  std::shared_ptr<const OpenTrace> open;
};

Loaded made_ready(const std::string& name, readers::LoadedTrace trace) {
  Loaded loaded{.facts = facts_of(trace, name), .bytes = memory_of(trace.trace), .open = nullptr};
  loaded.open = std::make_shared<const OpenTrace>(name, std::move(trace));
  return loaded;
}

Error loading(std::string_view name, TraceState state) {
  return {
      .code = ErrorCode::kTooLittleData,
      .what = fmt::format("'{}' is {}", name,
                          state == TraceState::kQueued ? "waiting to be loaded" : "being loaded"),
      .where = "trace",
      .hint = "ask again in a moment; /api/v1/runs shows the progress"};
}

}  // namespace

std::string_view word_of(TraceState state) {
  switch (state) {
    case TraceState::kQueued:
      return "queued";
    case TraceState::kLoading:
      return "loading";
    case TraceState::kReady:
      return "ready";
    case TraceState::kFailed:
      return "failed";
  }
  return "failed";
}

struct TraceShelf::State {
  struct Entry {
    ShelvedTrace shelved;
    std::uint64_t content = 0;  // counts the contents this file has had
    std::shared_ptr<const OpenTrace> open;
    std::uint64_t bytes = 0;
    std::uint64_t used_at = 0;
    bool is_wanted = false;  // a request waits for it
  };

  State(RunFolder given, ShelfOptions wanted)
      : folder(std::move(given)), label(folder.label()), options(std::move(wanted)) {}

  std::mutex scan_mutex;
  RunFolder folder;  // under scan_mutex
  const std::string label;
  const ShelfOptions options;
  std::atomic<bool> stop = false;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry, std::less<>> entries;
  std::vector<FoundKernels> kernel_files;
  std::vector<FoundBench> bench_files;
  std::uint64_t generation = 1;
  std::uint64_t uses = 0;
  std::uint64_t held_bytes = 0;
  std::vector<std::shared_ptr<const OpenTrace>> released;
  unsigned at_work = 0;  // threads that scan or load just now
  std::vector<std::jthread> threads;

  void take(const std::vector<FoundTrace>& found, const std::vector<FoundKernels>& kernels,
            const std::vector<FoundBench>& benches);
  void renew(Entry& entry, const FoundTrace& found);
  void release(Entry& entry);
  void bury(std::unique_lock<std::mutex>& lock);
  void keep_within_budget(const Entry& newest);
  bool loads_unasked() const { return held_bytes < options.memory_bytes; }
  Entry* next_to_load();
  void scan();
  void scan_forever();
  void load_forever(unsigned threads_each);
  void load_one(Entry& entry, unsigned threads_each, std::unique_lock<std::mutex>& lock);
  void put(const std::string& name, std::uint64_t content, Result<Loaded> loaded,
           std::unique_lock<std::mutex>& lock);
};

void TraceShelf::State::take(const std::vector<FoundTrace>& found,
                             const std::vector<FoundKernels>& kernels,
                             const std::vector<FoundBench>& benches) {
  std::unique_lock lock(mutex);
  if (bench_files != benches) {
    bench_files = benches;
    ++generation;
  }
  if (kernel_files != kernels) {
    kernel_files = kernels;
    ++generation;
  }
  for (auto it = entries.begin(); it != entries.end();) {
    if (std::ranges::binary_search(found, it->first, std::ranges::less{}, &FoundTrace::name)) {
      ++it;
      continue;
    }
    release(it->second);
    it = entries.erase(it);
    ++generation;
  }
  for (const FoundTrace& trace : found) {
    Entry& entry = entries[trace.name];
    if (entry.content == 0 || entry.shelved.found.stamp != trace.stamp) {
      renew(entry, trace);
    } else if (!entry.shelved.is_settled) {
      entry.shelved.is_settled = true;
    }
    if (!(entry.shelved.found == trace)) {  // a newer file has changed its span
      entry.shelved.found = trace;
      ++generation;
    }
  }
  changed.notify_all();
  bury(lock);
}

void TraceShelf::State::renew(Entry& entry, const FoundTrace& found) {
  release(entry);
  entry.shelved = {.found = found,
                   .is_settled = wall_clock_ns() - found.stamp.modified_ns > kSettledNs};
  ++entry.content;
  ++generation;
}

// Destroying a large trace takes time, during which the lock must not be held.
void TraceShelf::State::bury(std::unique_lock<std::mutex>& lock) {
  const auto gone = std::exchange(released, {});
  lock.unlock();
}

void TraceShelf::State::release(Entry& entry) {
  if (entry.open != nullptr) released.push_back(std::move(entry.open));
  entry.open = nullptr;
  held_bytes -= std::exchange(entry.bytes, 0);
}

void TraceShelf::State::keep_within_budget(const Entry& newest) {
  while (held_bytes > options.memory_bytes) {
    Entry* oldest = nullptr;
    for (auto& [name, entry] : entries) {
      if (entry.open == nullptr || &entry == &newest) continue;
      if (oldest == nullptr || entry.used_at < oldest->used_at) oldest = &entry;
    }
    if (oldest == nullptr) return;
    release(*oldest);
  }
}

TraceShelf::State::Entry* TraceShelf::State::next_to_load() {
  Entry* unasked = nullptr;
  for (auto& [name, entry] : entries) {
    const ShelvedTrace& shelved = entry.shelved;
    if (!shelved.is_settled || entry.open != nullptr) continue;
    const bool is_released = shelved.state == TraceState::kReady;
    if (shelved.state != TraceState::kQueued && !is_released) continue;
    if (entry.is_wanted) return &entry;
    if (unasked == nullptr && !is_released && loads_unasked()) unasked = &entry;
  }
  return unasked;
}

void TraceShelf::State::scan() {
  const std::scoped_lock lock(scan_mutex);
  const std::vector<FoundTrace> found = folder.scan();
  take(found, folder.kernel_files(), folder.bench_files());
}

void TraceShelf::State::scan_forever() {
  auto pause = options.rescan;
  while (true) {
    {
      std::unique_lock lock(mutex);
      const auto until = Clock::now() + pause;
      while (!stop && Clock::now() < until) changed.wait_until(lock, until);
      if (stop) return;
      ++at_work;
    }
    const Clock::time_point start = Clock::now();
    try {
      scan();
    } catch (const std::exception&) {  // no memory, say: the next scan may succeed
    }
    {
      const std::scoped_lock lock(mutex);
      --at_work;
    }
    changed.notify_all();
    const auto taken = std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - start);
    pause = std::max(options.rescan, kScanShare * taken);
  }
}

void TraceShelf::State::load_forever(unsigned threads_each) {
  std::unique_lock lock(mutex);
  while (true) {
    Entry* entry = nullptr;
    changed.wait(lock, [&] { return stop || (entry = next_to_load()) != nullptr; });
    if (stop) return;
    ++at_work;
    load_one(*entry, threads_each, lock);
    --at_work;
    changed.notify_all();
    bury(lock);
    lock.lock();
  }
}

void TraceShelf::State::load_one(Entry& entry, unsigned threads_each,
                                 std::unique_lock<std::mutex>& lock) {
  const FoundTrace found = entry.shelved.found;
  const std::uint64_t content = entry.content;
  entry.shelved.state = TraceState::kLoading;
  entry.shelved.progress = 0;
  entry.is_wanted = false;
  ++generation;
  lock.unlock();
  readers::LoadOptions load;
  load.threads = threads_each;
  load.cancelled = &stop;
  load.progress = [&](const readers::LoadProgress& now) {
    if (now.bytes_total == 0) return;
    const double share = static_cast<double>(now.bytes_done) / static_cast<double>(now.bytes_total);
    const std::scoped_lock progress_lock(mutex);
    const auto it = entries.find(found.name);
    if (it == entries.end() || it->second.content != content) return;
    if (share < it->second.shelved.progress + kProgressStep) return;
    it->second.shelved.progress = std::min(share, 1.0);
    ++generation;
  };
  Result<Loaded> loaded = [&]() -> Result<Loaded> {
    try {
      STROBE_TRY(readers::LoadedTrace trace, options.load(found, load));
      return made_ready(found.name, std::move(trace));
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "there is not enough memory for it", found.name,
                   "serve fewer traces, or on a machine with more memory"};
    } catch (const std::exception& error) {
      return Error{ErrorCode::kMachineLacks, error.what(), found.name,
                   "please report it with the trace"};
    }
  }();
  put(found.name, content, std::move(loaded), lock);
}

void TraceShelf::State::put(const std::string& name, std::uint64_t content, Result<Loaded> loaded,
                            std::unique_lock<std::mutex>& lock) {
  if (!loaded && options.on_failure && !stop) options.on_failure(name, loaded.error());
  lock.lock();
  const auto it = entries.find(name);
  if (it == entries.end() || it->second.content != content) return;  // gone or replaced meanwhile
  Entry& entry = it->second;
  if (loaded) {
    entry.shelved.state = TraceState::kReady;
    entry.shelved.progress = 1;
    entry.shelved.facts = std::move(loaded->facts);
    entry.open = std::move(loaded->open);
    entry.bytes = loaded->bytes;
    entry.used_at = ++uses;
    held_bytes += loaded->bytes;
    keep_within_budget(entry);
  } else {
    entry.shelved.state = TraceState::kFailed;
    entry.shelved.error = loaded.error();
    entry.shelved.error->code = ErrorCode::kMalformed;  // it exists, but cannot be read
    entry.shelved.error->where = name;
  }
  ++generation;
}

TraceShelf::TraceShelf(RunFolder folder, ShelfOptions options)
    : state_(std::make_unique<State>(std::move(folder), std::move(options))) {
  state_->scan();
  const unsigned cores = state_->options.threads != 0
                             ? state_->options.threads
                             : std::max(1u, std::thread::hardware_concurrency());
  const unsigned loaders = std::clamp(cores / 2, 1u, kMostLoaders);
  try {
    for (unsigned i = 0; i < loaders; ++i) {
      state_->threads.emplace_back([state = state_.get(), each = std::max(1u, cores / loaders)] {
        state->load_forever(each);
      });
    }
    state_->threads.emplace_back([state = state_.get()] { state->scan_forever(); });
  } catch (...) {  // the machine has no more threads; those that there are wait for work
    stop();
    throw;
  }
}

TraceShelf::~TraceShelf() {
  stop();
  state_->threads.clear();
}

void TraceShelf::stop() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stop = true;
  }
  state_->changed.notify_all();
}

bool TraceShelf::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, patience, [this] { return state_->at_work == 0; });
}

const std::string& TraceShelf::folder() const { return state_->label; }

void TraceShelf::rescan() { state_->scan(); }

ShelfView TraceShelf::view() const {
  const std::scoped_lock lock(state_->mutex);
  ShelfView view{.generation = state_->generation,
                 .is_loading = false,
                 .traces = {},
                 .kernel_files = state_->kernel_files,
                 .bench_files = state_->bench_files};
  for (const auto& [name, entry] : state_->entries) {
    view.traces.push_back(entry.shelved);
    view.is_loading = view.is_loading || entry.shelved.state == TraceState::kLoading ||
                      (entry.shelved.state == TraceState::kQueued &&
                       (entry.is_wanted || state_->loads_unasked()));
  }
  return view;
}

TraceShelf::Lookup TraceShelf::find(std::string_view name) {
  const std::scoped_lock lock(state_->mutex);
  const auto it = state_->entries.find(name);
  if (it == state_->entries.end()) {
    return {Error{.code = ErrorCode::kNotFound,
                  .what = fmt::format("no trace is called '{}'", name),
                  .where = "trace",
                  .hint = "see /api/v1/runs"}};
  }
  State::Entry& entry = it->second;
  if (entry.open != nullptr) {
    entry.used_at = ++state_->uses;
    return {entry.open};
  }
  if (entry.shelved.state == TraceState::kFailed) return {*entry.shelved.error};
  if (entry.shelved.state != TraceState::kLoading && !entry.is_wanted) {
    entry.is_wanted = true;
    ++state_->generation;
    state_->changed.notify_all();
  }
  return {loading(name, entry.shelved.state), true};
}

}  // namespace strobe::serve
