#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/findings/finding.h"
#include "strobe/analysis/tables/summary.h"
#include "tests/support/sketch.h"

// Summaries with chosen numbers, for rules.
namespace strobe::analysis {

using namespace strobe::literals;

// Five steps of 200 ms each, one after the other.
inline Summary five_steps() {
  Summary summary;
  summary.has_steps = true;
  for (int i = 0; i < 5; ++i) {
    StepRow step;
    step.name = "Step#" + std::to_string(i);
    step.interval = {200_ms * i, 200_ms * (i + 1)};
    summary.steps.push_back(step);
    summary.selected_steps.push_back(step.interval);
  }
  summary.extent = {0, 1000_ms};
  summary.span_ns = summary.total_ns = 1000_ms;
  return summary;
}

inline IdleRow idle_row(IdleKind kind, std::string name,
                        std::initializer_list<std::int64_t> gaps_ns) {
  IdleRow row;
  row.kind = kind;
  row.name = std::move(name);
  for (const std::int64_t gap_ns : gaps_ns) row.idle.add(gap_ns);
  row.in_steps_ns = row.idle.total_ns;
  // In the second step, unless a test says otherwise.
  row.longest = {200_ms, 200_ms + row.idle.max_ns};
  return row;
}

// So many gaps of one length.
inline IdleRow idle_row(IdleKind kind, std::string name, int gaps, std::int64_t gap_ns) {
  IdleRow row = idle_row(kind, std::move(name), {});
  for (int i = 0; i < gaps; ++i) row.idle.add(gap_ns);
  row.in_steps_ns = row.idle.total_ns;
  row.longest = {200_ms, 200_ms + row.idle.max_ns};
  return row;
}

inline void add_idle(Summary& summary, const IdleRow& row) {
  summary.waits.idle_ns += row.idle.total_ns;
  summary.waits.idle_in_steps_ns += row.in_steps_ns;
  summary.waits.idle.push_back(row);
}

// Work of one stream that starts so long after its launch.
inline void add_delay(Summary& summary, std::int64_t median_ns, std::int64_t p90_ns) {
  StreamRow stream;
  stream.stream = "7";
  stream.works = stream.with_launch = 100;
  stream.median_delay_ns = median_ns;
  stream.p90_delay_ns = p90_ns;
  summary.waits.streams.push_back(stream);
}

// Kernels of 10 us, and their launches of 5 us every 100 us.
inline Trace trace_of_launches(int launches = 10) {
  Sketch sketch;
  for (int i = 0; i < launches; ++i) {
    sketch.thread(1).slice("xLaunchKernel", kCall, 100_us * i, 5_us);
    sketch.stream(0, 7).slice("k", kKernel, 100_us * i + 6_us, 10_us);
  }
  return sketch.trace();
}

// A step of 1 ms, all of it host work.
inline Sketch step_of_host_work() {
  Sketch sketch;
  sketch.slice("Step#0", SliceKind::kStep, 0_us, 1000_us);
  sketch.slice("forward", SliceKind::kAnnotation, 0_us, 1000_us);
  return sketch;
}

inline std::map<std::string, Finding> findings_by_code(std::vector<Finding> list) {
  std::map<std::string, Finding> findings;
  for (Finding& finding : list) findings.emplace(finding.code, std::move(finding));
  return findings;
}

inline std::map<std::string, Finding> findings_in(const Summary& summary) {
  const Trace trace = trace_of_launches();
  return findings_by_code(find_in(trace, summary));
}

inline std::map<std::string, Finding> findings_of(Sketch& sketch) {
  const Trace trace = sketch.trace();
  return findings_by_code(find_in(trace, summarize(trace)));
}

}  // namespace strobe::analysis
