#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "strobe/base/result.h"
#include "strobe/trace/trace.h"
#include "strobe/writers/byte_sink.h"
#include "strobe/writers/kineto_frame.h"

// A trace as trace events in JSON, as Kineto writes them: what Perfetto, chrome://tracing,
// HolisticTraceAnalysis and strobe itself open. Reading it again gives the same columns.
namespace strobe::writers {

struct ChromeJsonOptions {
  bool use_lanes = true;  // see lanes.h
  // The clock of the file (see clock_ns()), if it is to be that of another one: a rank of the same
  // run.
  std::optional<std::int64_t> clock_ns = {};
};

struct ChromeJsonCounts {
  std::uint64_t events = 0;
  std::uint64_t moved_slices = 0;  // to lanes
  std::uint64_t lanes = 0;
};

// One file, written in bounded memory. An error of the sink is final.
class ChromeJsonFile {
 public:
  explicit ChromeJsonFile(ByteSink& sink, const ChromeJsonOptions& options = {});
  ~ChromeJsonFile();
  ChromeJsonFile(const ChromeJsonFile&) = delete;
  ChromeJsonFile& operator=(const ChromeJsonFile&) = delete;

  // A file of one trace. `rank` is used if the trace does not say its own.
  Result<void> add_only(const Trace& trace, const std::optional<GivenRank>& rank = {});
  // One of several traces; `label` ("rank 3") is put before the names of its processes, whose pids
  // are changed where an earlier trace has them. Times are brought to the clock of the first trace.
  Result<void> add_one_of_several(const Trace& trace, const std::string& label);

  // What was taken off the times of the first trace; known when it was added.
  std::int64_t clock_ns() const;

  // Closes the file and finishes the sink.
  Result<ChromeJsonCounts> finish();

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace strobe::writers
