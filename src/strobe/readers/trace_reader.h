#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/file.h"
#include "strobe/base/hash.h"
#include "strobe/base/result.h"
#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::readers {

struct LoadProgress {
  std::uint64_t bytes_done = 0;   // of the file on disk
  std::uint64_t bytes_total = 0;  // 0 if unknown
};

struct LayoutLoops;  // layout_loops.h

struct LoadOptions {
  unsigned threads = 0;   // 0: one per core. Never changes the answer
  bool keep_args = true;  // false: core columns only, ArgsStore stays empty
  std::size_t piece_bytes =
      4 << 20;  // plain text is split into pieces of about this size, if it has two or more
  std::function<void(const LoadProgress&)> progress = nullptr;  // called from one thread at a time
  const std::atomic<bool>* cancelled =
      nullptr;                              // when it turns true, loading ends with kInterrupted
  std::uint64_t most_events = kMostEvents;  // a trace with more is an error
  // What files beside the trace tell, added before it freezes.
  std::function<void(Metadata&)> add_facts = nullptr;

  // How events are read; nullptr: as fast as this processor can. Never changes the answer.
  const LayoutLoops* layout_loops = nullptr;

  unsigned thread_count() const;
};

// Where the time went while loading, for `-v`.
struct LoadStage {
  std::string name;  // "read and scan", "merge", "classify"
  double seconds = 0;
};

// What the cache needs to know about a file to store its trace later.
struct CacheTicket {
  FileStamp stamp;            // before the first byte was read
  std::int64_t taken_ns = 0;  // wall clock
  bool keep_args = true;
  std::optional<ContentHash> content;  // if it was hashed before it was read
};

struct LoadedTrace {
  std::string path;
  Trace trace;
  ImportReport report;
  std::shared_ptr<const AllocatorSnapshot>
      snapshot;  // if the file is one; its times are in `trace`
  std::vector<LoadStage> stages;
  bool is_from_cache = false;
  std::optional<CacheTicket> ticket;  // from read_trace_cached() for store_trace()
};

// Opens any trace format that strobe knows, recognised by content: Kineto, PyTorch's older
// profiler, Paddle, MLU or other Chrome JSON; plain, gzip or zstd; or a process of a run that
// strobe recorded, as a file or as the folder of a run with one process. A damaged trace is not an
// error if some of it can be read: the report says what is missing.
Result<LoadedTrace> read_trace(const std::filesystem::path& path, const LoadOptions& options = {});

// The same from memory, without files beside it; `name` is used as the path in errors.
Result<LoadedTrace> read_trace_bytes(std::string_view bytes, const std::string& name,
                                     const LoadOptions& options = {});

using ReadOne =
    std::function<Result<LoadedTrace>(const std::filesystem::path&, const LoadOptions&)>;

// One trace per rank or worker, loaded in parallel; the order of `paths` is kept. Returns the first
// failure.
Result<std::vector<LoadedTrace>> read_traces(const std::vector<std::filesystem::path>& paths,
                                             const LoadOptions& options = {},
                                             const ReadOne& read_one = read_trace);

}  // namespace strobe::readers
