// Any bytes as a trace: the reader answers or refuses, threads and tiny pieces give the same result
// as one scan from front to back, so does every set of loops, and the result can be summarised.
#include <cstdint>
#include <string_view>

#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/layout_loops.h"
#include "strobe/readers/trace_reader.h"
#include "tests/fuzz/fuzz_check.h"

namespace {

using strobe::ImportIssue;
using strobe::Trace;
using strobe::readers::LoadedTrace;

bool same_report(const LoadedTrace& a, const LoadedTrace& b) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(ImportIssue::kCount_); ++i) {
    const auto issue = static_cast<ImportIssue>(i);
    if (a.report[issue].count != b.report[issue].count) return false;
    if (a.report[issue].examples.size() != b.report[issue].examples.size()) return false;
    for (std::size_t e = 0; e < a.report[issue].examples.size(); ++e) {
      if (a.report[issue].examples[e].byte_offset != b.report[issue].examples[e].byte_offset) {
        return false;
      }
    }
  }
  return a.report.events == b.report.events && a.report.text_bytes == b.report.text_bytes;
}

bool same_slices(const Trace& a, const Trace& b) {
  return a.slices().starts_ns == b.slices().starts_ns &&
         a.slices().durations_ns == b.slices().durations_ns &&
         a.slices().names == b.slices().names && a.slices().tracks == b.slices().tracks &&
         a.slices().kinds == b.slices().kinds && a.slices().flags == b.slices().flags &&
         a.slices().correlations == b.slices().correlations &&
         a.slices().externals == b.slices().externals;
}

void check_columns(const Trace& trace) {
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    const strobe::SliceId slice(row);
    FUZZ_CHECK(trace.duration_ns(slice) >= 0, "a slice never ends before it starts");
    FUZZ_CHECK(trace.end_ns(slice) >= trace.start_ns(slice), "no time overflows");
    FUZZ_CHECK(trace.slices().tracks[row].index() < trace.tracks().size(), "a slice has a track");
    (void)trace.name(slice).size();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  strobe::readers::LoadOptions options;
  options.threads = 1;
  const auto one = strobe::readers::read_trace_bytes(bytes, "input", options);
  if (one) check_columns(one->trace);

  for (const auto& loops : strobe::readers::layout_loops()) {
    options.layout_loops = &loops;
    const auto other = strobe::readers::read_trace_bytes(bytes, "input", options);
    FUZZ_CHECK(one.has_value() == other.has_value(), "loops never change an answer");
    if (!one) break;
    FUZZ_CHECK(same_report(*one, *other), "loops never change the report");
    FUZZ_CHECK(same_slices(one->trace, other->trace), "loops never change a slice");
  }
  options.layout_loops = nullptr;

  options.threads = 2;
  for (const std::size_t pieces : {2u, 7u}) {  // each piece needs its own buffer: not too many
    options.piece_bytes = size / pieces + 1;
    const auto two = strobe::readers::read_trace_bytes(bytes, "input", options);
    FUZZ_CHECK(one.has_value() == two.has_value(), "pieces never change an answer");
    if (!one) return 0;
    FUZZ_CHECK(same_report(*one, *two), "pieces never change the report");
    FUZZ_CHECK(same_slices(one->trace, two->trace), "pieces never change a slice");
  }

  options.keep_args = false;
  const auto core = strobe::readers::read_trace_bytes(bytes, "input", options);
  FUZZ_CHECK(core.has_value() && same_slices(one->trace, core->trace),
             "dropping the arguments changes no slice");

  const auto summary = strobe::analysis::summarize(one->trace);
  for (const auto& step : summary.steps) {
    std::int64_t labelled_ns = 0;
    for (const std::int64_t part_ns : step.label_ns) labelled_ns += part_ns;
    FUZZ_CHECK(labelled_ns == step.interval.length_ns(), "accounts balance");
  }
  return 0;
}
