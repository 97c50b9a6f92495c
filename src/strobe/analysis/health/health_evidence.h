#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/analysis/steps/steps.h"
#include "strobe/base/interval.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/trace.h"

namespace strobe::analysis {

// A kernel, copy or memset.
struct JudgedWork {
  SliceId slice;
  SliceId call;            // of the same correlation; invalid if there is none
  bool is_linked = false;  // something recorded launched it
};

// A call that launches kernels, or a graph of them, and has a correlation.
struct JudgedLaunch {
  SliceId slice;
  std::uint64_t works = 0;  // that were recorded
  bool is_graph = false;
  bool is_captured = false;  // into a graph: nothing ran
  bool is_around = false;    // another call, which launched the work
};

// What the rules of health look at, gathered once.
struct HealthEvidence {
  HealthEvidence(const Trace& the_trace, const ImportReport& the_import);

  const Trace& trace;
  const ImportReport& import;
  std::string device;                  // "GPU"
  std::vector<JudgedWork> works;       // by start
  std::vector<JudgedLaunch> launches;  // by start
  std::uint64_t launch_calls = 0;      // with and without a correlation
  std::uint64_t linked = 0;            // of the works
  std::int64_t device_ns = 0;          // of all works, added up
  bool has_operators = false;
  std::uint64_t unfinished_slices = 0;
  std::uint64_t unfinished_steps = 0;
  std::vector<Step> steps;

  // "38.2 ms after the start"
  std::int64_t since_start_ns(std::int64_t time_ns) const {
    return time_ns - trace.extent().start_ns;
  }
};

// A part of the work, or of the calls: its number and its device time.
struct JudgedPart {
  std::uint64_t count = 0;
  std::int64_t device_ns = 0;
  std::int64_t end_ns = 0;  // the latest end

  void add(const Trace& trace, SliceId slice);
};

// "12 of 340 kernels, copies and memsets (3.5 %)"
std::string part_of_text(std::uint64_t count, std::uint64_t of, std::string_view nouns);
inline constexpr std::string_view kWorkWords = "kernels, copies and memsets";

// "12.3 ms (4.5 % of all time on the GPU)"
std::string device_time_text(const HealthEvidence& evidence, std::int64_t part_ns);

// A loss below this share changes no number in the digits that are shown, so it is only a note.
inline constexpr double kMatteringShare = 0.01;
// From here on, the larger part is missing.
inline constexpr double kMostlyMissing = 0.5;

}  // namespace strobe::analysis
