#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/serve/open_trace.h"
#include "strobe/serve/run_folder.h"
#include "strobe/serve/trace_finder.h"

namespace strobe::serve {

enum class TraceState : std::uint8_t { kQueued, kLoading, kReady, kFailed };
std::string_view word_of(TraceState state);

// Facts about a trace, known once it is loaded.
struct TraceFacts {
  std::string dialect;
  std::string device;  // "" if unknown
  std::optional<std::int32_t> rank;
  std::uint64_t slices = 0;
  std::int64_t span_ns = 0;
  std::string import_warning;  // "" if nothing was lost
  bool is_snapshot = false;    // of an allocator: it tells about memory and nothing else
};

struct ShelvedTrace {
  FoundTrace found;  // as it was loaded, or will be
  TraceState state = TraceState::kQueued;
  double progress = 0;  // 0 to 1
  std::optional<Error> error = {};
  std::optional<TraceFacts> facts = {};
  bool is_settled = false;  // the file no longer grows, or is loaded although it does
  TraceEdition edition = {};
};

struct ShelfView {
  std::uint64_t generation = 0;  // changes whenever the rest does
  bool is_loading = false;
  std::vector<ShelvedTrace> traces;             // by name
  std::vector<FoundKernels> kernel_files = {};  // by name; read when requested
  std::vector<FoundBench> bench_files = {};     // likewise
  RunsByName recorded = {};
};

struct ShelfOptions {
  using Load =
      std::function<Result<readers::LoadedTrace>(const FoundTrace&, const readers::LoadOptions&)>;

  Load load;  // how a trace is read
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  bool loads_unasked = true;  // all traces, in the background; else those that a client asks for
  unsigned threads = 0;       // for loading, 0: one per core
  std::chrono::milliseconds rescan{2000};
  std::chrono::milliseconds reload{2000};  // the least time between two loads of a recording
  RecordedRuns::IsAlive is_alive = is_recorder_alive;
  std::function<void(const std::string& trace, const Error& error)> on_failure = nullptr;
};

// All traces of a folder, loaded in the background and kept while memory lasts: the least recently
// used are dropped first and loaded again when requested. The folder is scanned from time to time;
// a file that still grows waits, unless it is a recording in progress: what is there of it is
// loaded at once, and loaded again when it has grown and somebody asks for it. Until that is done,
// requests get the older content.
class TraceShelf {
 public:
  // Scans the folder once before it returns.
  TraceShelf(RunFolder folder, ShelfOptions options);
  ~TraceShelf();

  const std::string& folder() const;
  const std::filesystem::path& root() const;  // of everything that is found; links resolved
  void rescan();  // scans the folder now, without waiting for the next time
  ShelfView view() const;

  struct Lookup {
    Result<std::shared_ptr<const OpenTrace>> trace;
    bool is_loading = false;  // the error is temporary
  };
  Lookup find(std::string_view name);

  void stop();  // interrupts loading
  // After stop(): whether loading has ended within that time.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strobe::serve
