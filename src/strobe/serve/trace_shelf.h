#pragma once

#include <chrono>
#include <cstdint>
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

namespace strobe::serve {

enum class TraceState : std::uint8_t { kQueued, kLoading, kReady, kFailed };
std::string_view word_of(TraceState state);

// What a trace says of itself once it has been loaded.
struct TraceFacts {
  std::string dialect;
  std::string device;  // "" if it does not say
  std::optional<std::int32_t> rank;
  std::uint64_t slices = 0;
  std::int64_t span_ns = 0;
  std::string import_warning;  // "" if nothing was lost
};

struct ShelvedTrace {
  FoundTrace found;
  TraceState state = TraceState::kQueued;
  double progress = 0;  // 0 to 1
  std::optional<Error> error = {};
  std::optional<TraceFacts> facts = {};
  bool is_settled = false;  // the file does not grow any more
};

struct ShelfView {
  std::uint64_t generation = 0;  // changes whenever the rest does
  bool is_loading = false;
  std::vector<ShelvedTrace> traces;             // by name
  std::vector<FoundKernels> kernel_files = {};  // by name; read by whoever asks for them
  std::vector<FoundBench> bench_files = {};     // likewise
};

struct ShelfOptions {
  using Load =
      std::function<Result<readers::LoadedTrace>(const FoundTrace&, const readers::LoadOptions&)>;

  Load load;  // how a trace is read
  std::uint64_t memory_bytes = std::uint64_t{1} << 30;
  unsigned threads = 0;  // for loading, 0: one per core
  std::chrono::milliseconds rescan{2000};
  std::function<void(const std::string& trace, const Error& error)> on_failure = nullptr;
};

// All traces of a folder, loaded in the background and held in memory as long as it lasts: the ones
// not asked for longest go first and come back when somebody asks. The folder is looked at every
// now and then; a file that still grows waits.
class TraceShelf {
 public:
  // Looks at the folder once before it returns.
  TraceShelf(RunFolder folder, ShelfOptions options);
  ~TraceShelf();

  const std::string& folder() const;
  void rescan();  // looks at the folder now, and not only when its time has come
  ShelfView view() const;

  struct Lookup {
    Result<std::shared_ptr<const OpenTrace>> trace;
    bool is_loading = false;  // the error is only for now
  };
  Lookup find(std::string_view name);

  void stop();  // interrupts what is being loaded
  // After stop(): whether nothing is being loaded any more, within that time.
  bool finish(std::chrono::milliseconds patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace strobe::serve
