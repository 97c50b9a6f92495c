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

#include "strobe/readers/run_reader.h"
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
// Columns, and data that answers derive from them: launches, trees, tiles, lines.
constexpr std::uint64_t kBytesPerSlice = 200;
constexpr std::uint64_t kBytesPerSample = 50;
constexpr std::uint64_t kBytesPerAllocation = 200;  // of a snapshot: columns, points of its curve
// Loading a recording again and again may take this part of the time.
constexpr int kReloadShare = 4;

// The time that a trace covers, or its samples if it has no slices.
std::int64_t span_of(const Trace& trace) {
  const Interval extent = trace.extent();
  return extent.length_ns() > 0 ? extent.length_ns() : analysis::shown_time(trace).length_ns();
}

TraceFacts facts_of(const readers::LoadedTrace& loaded, const std::string& name) {
  const Metadata& metadata = loaded.trace.metadata();
  return {.dialect = metadata.traits.dialect,
          .device = metadata.devices.empty() ? "" : metadata.devices[0].name,
          .rank = metadata.distributed.rank,
          .slices = loaded.trace.slice_count(),
          .span_ns = span_of(loaded.trace),
          .import_warning = report::import_warning(name, loaded.report),
          .is_snapshot = loaded.snapshot != nullptr};
}

std::uint64_t memory_of(const readers::LoadedTrace& loaded) {
  const Trace& trace = loaded.trace;
  return trace.slice_count() * kBytesPerSlice + trace.counters().size() * kBytesPerSample +
         trace.args().bytes() + trace.strings().bytes() +
         (loaded.snapshot ? loaded.snapshot->events.size() * kBytesPerAllocation : 0);
}

std::filesystem::path real_path(const std::filesystem::path& path) {
  std::error_code failed;
  std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? path : real;
}

struct Loaded {
  TraceFacts facts;
  std::uint64_t bytes = 0;
  std::shared_ptr<const OpenTrace> open;
};

Loaded made_ready(const std::string& name, readers::LoadedTrace trace, TraceEdition edition) {
  Loaded loaded{.facts = facts_of(trace, name), .bytes = memory_of(trace), .open = nullptr};
  loaded.open = std::make_shared<const OpenTrace>(name, std::move(trace), edition);
  return loaded;
}

// The same file with more in it; a file that was replaced is another one.
bool has_grown_to(const FileStamp& before, const FileStamp& now) {
  return before.device == now.device && before.inode == now.inode && before.bytes <= now.bytes;
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
    std::uint64_t content = 0;  // another number for every content that is not a growth
    std::shared_ptr<const OpenTrace> open;
    std::uint64_t bytes = 0;
    std::uint64_t used_at = 0;
    bool is_wanted = false;       // a request waits for it, or looks at older content
    SeenTrace seen = {};          // as the last scan has found it
    bool is_stale = false;        // `seen` is newer than what was loaded, or is being loaded
    std::uint64_t under_way = 0;  // the generation that is being loaded, 0: none
    Clock::time_point reload_from = {};
  };

  struct Load {
    SeenTrace found;
    TraceEdition edition;
    std::uint64_t content = 0;
    Clock::time_point start;
    bool has_others = false;  // there are more traces
  };

  State(RunFolder given, ShelfOptions wanted)
      : finder(std::move(given), wanted.is_alive),
        label(finder.label()),
        root(real_path(finder.root())),
        options(std::move(wanted)) {}

  std::mutex scan_mutex;
  TraceFinder finder;  // under scan_mutex
  const std::string label;
  const std::filesystem::path root;
  const ShelfOptions options;
  std::atomic<bool> stop = false;

  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Entry, std::less<>> entries;
  std::vector<FoundKernels> kernel_files;
  std::vector<FoundBench> bench_files;
  RunsByName recorded;
  std::uint64_t generation = 1;
  std::uint64_t editions = 0;
  std::uint64_t uses = 0;
  std::uint64_t held_bytes = 0;
  std::vector<std::shared_ptr<const OpenTrace>> released;
  unsigned at_work = 0;  // threads that scan or load just now
  std::vector<std::jthread> threads;

  void take(SeenFolder folder);
  void take_one(Entry& entry, const SeenTrace& found);
  void renew(Entry& entry, const SeenTrace& found);
  void release(Entry& entry);
  void bury(std::unique_lock<std::mutex>& lock);
  void keep_within_budget(const Entry& newest);
  bool loads_unasked() const { return options.loads_unasked && held_bytes < options.memory_bytes; }
  void want(Entry& entry);
  Entry* next_to_load();
  void scan();
  void scan_forever();
  void load_forever(unsigned threads_each);
  static bool is_one_of_ranks(const Load& load, const TraceFacts& facts);
  void digest_ahead(std::shared_ptr<const OpenTrace> rank) const;
  void load_one(Entry& entry, unsigned threads_each, std::unique_lock<std::mutex>& lock);
  Load begin(Entry& entry);
  void put(const Load& load, Result<Loaded> loaded, std::unique_lock<std::mutex>& lock);
  void keep(Entry& entry, const Load& load, Loaded loaded);
  void fail(Entry& entry, const Error& error);
};

void TraceShelf::State::take(SeenFolder folder) {
  std::unique_lock lock(mutex);
  const auto replace = [&](auto& known, auto& seen) {
    if (known == seen) return;
    known = std::move(seen);
    ++generation;
  };
  replace(kernel_files, folder.kernel_files);
  replace(bench_files, folder.bench_files);
  replace(recorded, folder.recorded);
  const auto name_of = [](const SeenTrace& seen) -> const std::string& { return seen.trace.name; };
  for (auto it = entries.begin(); it != entries.end();) {
    if (std::ranges::binary_search(folder.traces, it->first, std::ranges::less{}, name_of)) {
      ++it;
      continue;
    }
    release(it->second);
    it = entries.erase(it);
    ++generation;
  }
  for (const SeenTrace& seen : folder.traces) take_one(entries[seen.trace.name], seen);
  changed.notify_all();
  bury(lock);
}

void TraceShelf::State::take_one(Entry& entry, const SeenTrace& found) {
  ShelvedTrace& shelved = entry.shelved;
  const bool is_changed =
      entry.seen.trace.stamp != found.trace.stamp || entry.seen.is_recording != found.is_recording;
  // What is loaded or being loaded stays until there is something newer.
  const bool grows = found.is_of_run && (entry.open != nullptr || entry.under_way != 0) &&
                     has_grown_to(entry.seen.trace.stamp, found.trace.stamp);
  if (entry.content == 0 || (is_changed && !grows)) {
    renew(entry, found);
  } else if (is_changed) {
    entry.seen = found;
    entry.is_stale = true;
    ++generation;
  } else if (!shelved.is_settled) {
    shelved.is_settled = true;
  } else if (!(entry.seen.trace == found.trace)) {  // a newer file has changed its span
    entry.seen = found;
    if (!entry.is_stale) shelved.found = found.trace;
    ++generation;
  }
}

void TraceShelf::State::renew(Entry& entry, const SeenTrace& found) {
  release(entry);
  const bool rests = wall_clock_ns() - found.trace.stamp.modified_ns > kSettledNs;
  entry.shelved = {.found = found.trace,
                   .is_settled = rests || found.is_recording,
                   .edition = {.generation = ++editions, .is_recording = found.is_recording}};
  entry.seen = found;
  entry.is_stale = false;
  entry.content = entry.shelved.edition.generation;
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
    if (!shelved.is_settled || entry.under_way != 0) continue;
    if (entry.open != nullptr && !entry.is_stale) continue;
    const bool is_ready = shelved.state == TraceState::kReady;  // older content, or released
    if (shelved.state != TraceState::kQueued && !is_ready) continue;
    if (entry.is_wanted) return &entry;
    if (unasked == nullptr && !is_ready && loads_unasked()) unasked = &entry;
  }
  return unasked;
}

// Somebody asks for it, or looks at content that is no longer the newest.
void TraceShelf::State::want(Entry& entry) {
  const bool needs_load = entry.open == nullptr ? entry.shelved.state != TraceState::kLoading
                                                : entry.is_stale && entry.under_way == 0 &&
                                                      Clock::now() >= entry.reload_from;
  if (entry.is_wanted || !needs_load) return;
  entry.is_wanted = true;
  if (entry.open == nullptr) ++generation;
  changed.notify_all();
}

void TraceShelf::State::scan() {
  const std::scoped_lock lock(scan_mutex);
  take(finder.scan());
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

// Begins a load: what is loaded already is shown, with its own stamp, until the new one is there.
TraceShelf::State::Load TraceShelf::State::begin(Entry& entry) {
  const Load load{.found = entry.seen,
                  .edition = {.generation = ++editions, .is_recording = entry.seen.is_recording},
                  .content = entry.content,
                  .start = Clock::now(),
                  .has_others = entries.size() > 1};
  entry.is_stale = false;
  entry.is_wanted = false;
  entry.under_way = load.edition.generation;
  if (entry.open == nullptr) {
    entry.shelved.found = load.found.trace;
    entry.shelved.state = TraceState::kLoading;
    entry.shelved.progress = 0;
    ++generation;
  }
  return load;
}

// A recording in progress is loaded again and again.
bool TraceShelf::State::is_one_of_ranks(const Load& load, const TraceFacts& facts) {
  if (!load.has_others || load.edition.is_recording) return false;
  return facts.rank || readers::rank_files_of(load.found.trace.path).rank;
}

// Who looks at one rank of a job will ask about the job, and all of its ranks at once take a while.
void TraceShelf::State::digest_ahead(std::shared_ptr<const OpenTrace> rank) const {
  if (stop) return;
  try {
    rank->digest();
  } catch (const std::exception&) {  // no memory, say: a request tries again
  }
}

void TraceShelf::State::load_one(Entry& entry, unsigned threads_each,
                                 std::unique_lock<std::mutex>& lock) {
  const Load load = begin(entry);
  const FoundTrace& found = load.found.trace;
  lock.unlock();
  readers::LoadOptions how;
  how.threads = threads_each;
  how.cancelled = &stop;
  how.progress = [&](const readers::LoadProgress& now) {
    if (now.bytes_total == 0) return;
    const double share = static_cast<double>(now.bytes_done) / static_cast<double>(now.bytes_total);
    const std::scoped_lock progress_lock(mutex);
    const auto it = entries.find(found.name);
    if (it == entries.end() || it->second.content != load.content) return;
    if (share < it->second.shelved.progress + kProgressStep) return;
    it->second.shelved.progress = std::min(share, 1.0);
    ++generation;
  };
  Result<Loaded> loaded = [&]() -> Result<Loaded> {
    try {
      STROBE_TRY(readers::LoadedTrace trace, options.load(found, how));
      return made_ready(found.name, std::move(trace), load.edition);
    } catch (const std::bad_alloc&) {
      return Error{ErrorCode::kOutOfMemory, "there is not enough memory for it", found.name,
                   "serve fewer traces, or on a machine with more memory"};
    } catch (const std::exception& error) {
      return Error{ErrorCode::kMachineLacks, error.what(), found.name,
                   "please report it with the trace"};
    }
  }();
  const bool is_rank = loaded && is_one_of_ranks(load, loaded->facts);
  std::shared_ptr<const OpenTrace> rank = is_rank ? loaded->open : nullptr;
  put(load, std::move(loaded), lock);
  if (rank == nullptr) return;
  lock.unlock();
  digest_ahead(std::move(rank));
  lock.lock();
}

void TraceShelf::State::put(const Load& load, Result<Loaded> loaded,
                            std::unique_lock<std::mutex>& lock) {
  const std::string& name = load.found.trace.name;
  const bool is_final = !load.edition.is_recording;
  if (!loaded && options.on_failure && !stop && is_final) options.on_failure(name, loaded.error());
  lock.lock();
  const auto it = entries.find(name);
  const bool is_gone = it == entries.end();
  if (!is_gone && it->second.under_way == load.edition.generation) it->second.under_way = 0;
  if (is_gone || it->second.content != load.content) {  // or replaced meanwhile
    if (loaded) released.push_back(std::move(loaded->open));
    return;
  }
  Entry& entry = it->second;
  const auto taken = std::chrono::ceil<std::chrono::milliseconds>(Clock::now() - load.start);
  entry.reload_from = load.start + std::max(options.reload, kReloadShare * taken);
  if (loaded) {
    keep(entry, load, std::move(*loaded));
  } else if (is_final || entry.open == nullptr) {
    fail(entry, loaded.error());
  }
  ++generation;
}

void TraceShelf::State::keep(Entry& entry, const Load& load, Loaded loaded) {
  if (entry.open != nullptr) entry.shelved.found = load.found.trace;
  release(entry);
  entry.shelved.state = TraceState::kReady;
  entry.shelved.progress = 1;
  entry.shelved.facts = std::move(loaded.facts);
  entry.shelved.edition = load.edition;
  entry.open = std::move(loaded.open);
  entry.bytes = loaded.bytes;
  entry.used_at = ++uses;
  held_bytes += loaded.bytes;
  keep_within_budget(entry);
}

// A recording that has grown meanwhile is tried again.
void TraceShelf::State::fail(Entry& entry, const Error& error) {
  if (entry.is_stale) {
    renew(entry, SeenTrace(entry.seen));
    return;
  }
  release(entry);
  entry.shelved.state = TraceState::kFailed;
  entry.shelved.error = error;
  entry.shelved.error->code = ErrorCode::kMalformed;  // it exists, but cannot be read
  entry.shelved.error->where = entry.shelved.found.name;
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

const std::filesystem::path& TraceShelf::root() const { return state_->root; }

void TraceShelf::rescan() { state_->scan(); }

ShelfView TraceShelf::view() const {
  const std::scoped_lock lock(state_->mutex);
  ShelfView view{.generation = state_->generation,
                 .is_loading = false,
                 .traces = {},
                 .kernel_files = state_->kernel_files,
                 .bench_files = state_->bench_files,
                 .recorded = state_->recorded};
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
  if (entry.open == nullptr && entry.shelved.state == TraceState::kFailed) {
    return {*entry.shelved.error};
  }
  state_->want(entry);
  if (entry.open == nullptr) return {loading(name, entry.shelved.state), true};
  entry.used_at = ++state_->uses;
  return {entry.open};
}

}  // namespace strobe::serve
