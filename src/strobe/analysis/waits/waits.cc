#include "strobe/analysis/waits/waits.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/waits/idle_causes.h"
#include "strobe/analysis/waits/idle_gaps.h"
#include "strobe/analysis/waits/idle_stretches.h"
#include "strobe/analysis/waits/interval_parts.h"
#include "strobe/analysis/waits/runtime_calls.h"
#include "strobe/analysis/waits/script_frames.h"
#include "strobe/analysis/waits/stream_delays.h"

namespace strobe::analysis {
namespace {

// Sources are found for this many of the largest rows of each table.
constexpr std::size_t kRowsWithSource = 40;

bool holds_all(const IntervalSet& span, const IntervalSet& gaps) {
  return gaps.empty() || (span.size() == 1 && span.front().start_ns <= gaps.front().start_ns &&
                          gaps.back().end_ns <= span.front().end_ns);
}

IntervalSet parts_in(const IntervalSet& span, const IntervalSet& gaps) {
  IntervalSet parts;
  parts.reserve(gaps.size());
  OverlapCursor inside(span);
  for (const Interval gap : gaps) {
    inside.parts_of(gap, [&](Interval part) { parts.push_back(part); });
  }
  return parts;
}

void add_sources(const AttributedTrace& input, const std::vector<std::uint32_t>& idle_threads,
                 const std::vector<std::uint32_t>& call_threads, Waits& waits) {
  const std::size_t idle_rows = std::min(waits.idle.size(), kRowsWithSource);
  const std::size_t call_rows = std::min(waits.calls.size(), kRowsWithSource);
  std::vector<SourceQuery> queries;
  for (std::size_t i = 0; i < idle_rows; ++i) {
    const bool is_of_thread =
        waits.idle[i].kind != IdleKind::kLaunched && waits.idle[i].kind != IdleKind::kNothing;
    queries.push_back({is_of_thread ? idle_threads[i] : OpTree::kNoThread, waits.idle[i].longest});
  }
  for (std::size_t i = 0; i < call_rows; ++i) {
    queries.push_back({call_threads[i], waits.calls[i].longest});
  }
  std::vector<std::string> sources = find_sources(input, queries);
  for (std::size_t i = 0; i < idle_rows; ++i) waits.idle[i].source = std::move(sources[i]);
  for (std::size_t i = 0; i < call_rows; ++i) {
    waits.calls[i].longest_source = std::move(sources[idle_rows + i]);
  }
}

void explain_idle(const AttributedTrace& input, const IdleGaps& gaps, const IntervalSet& span,
                  IdleExplainer& explainer, IdleCauses& causes, PacedIdle& paced) {
  OverlapCursor inside(span);
  for (std::uint32_t gap = 0; gap < gaps.size(); ++gap) {
    const LaunchEnd launch = find_launch_end(input, gaps, gap);
    inside.parts_of(gaps.intervals[gap], [&](Interval part) {
      const std::int64_t in_steps_ns = causes.start(gap, part);
      paced.start(gaps.intervals[gap], launch, part, in_steps_ns);
      explainer.explain(launch, part, [&](const IdleStretch& stretch) {
        causes.add(stretch);
        paced.add(stretch);
      });
      paced.finish();
    });
  }
}

Waits measure_whole(const AttributedTrace& input, const IntervalSet& span,
                    const IntervalSet& steps) {
  Waits waits;
  if (span.empty()) return waits;
  const IdleGaps gaps = find_idle_gaps(input, {span.front().start_ns, span.back().end_ns});
  const bool are_inside = holds_all(span, gaps.intervals);
  const IntervalSet parts = are_inside ? IntervalSet() : parts_in(span, gaps.intervals);
  const IntervalSet& idle = are_inside ? gaps.intervals : parts;
  IdleExplainer explainer(input, idle);
  IdleCauses causes(explainer.causes(), steps);
  PacedIdle paced(input, steps);
  explain_idle(input, gaps, span, explainer, causes, paced);
  IdleCauses::Table idle_table = causes.take(input.trace.strings());
  CallTable call_table = add_up_calls(input, span, steps, idle);
  const PacedIdle::Answer pace = paced.take();

  for (const IdleRow& row : idle_table.rows) {
    waits.idle_ns += row.idle.total_ns;
    waits.idle_in_steps_ns += row.in_steps_ns;
  }
  waits.idle = std::move(idle_table.rows);
  waits.calls = std::move(call_table.rows);
  waits.streams = measure_streams(input, span);
  waits.paced_idle_ns = pace.idle_ns;
  waits.paced_gaps = pace.gaps;
  add_sources(input, idle_table.threads, call_table.threads, waits);
  return waits;
}

bool is_longer(const Interval& a, const Interval& b) { return a.length_ns() > b.length_ns(); }

void add_idle_row(const IdleRow& row, IdleRow& sum) {
  if (sum.idle.calls == 0 || is_longer(row.longest, sum.longest)) {
    sum.longest = row.longest;
    sum.source = row.source;
  }
  sum.idle.add(row.idle);
  sum.in_steps_ns += row.in_steps_ns;
}

void add_call_row(const RuntimeCallRow& row, RuntimeCallRow& sum) {
  if (sum.host.calls == 0 || row.host.max_ns > sum.host.max_ns) {
    sum.longest = row.longest;
    sum.longest_inside = row.longest_inside;
    sum.longest_source = row.longest_source;
  }
  sum.host.add(row.host);
  sum.median_ns = std::max(sum.median_ns, row.median_ns);
  sum.in_steps_ns += row.in_steps_ns;
  sum.device_idle_ns += row.device_idle_ns;
}

std::vector<IdleRow> merge_idle(const std::vector<const Waits*>& ranks) {
  std::map<std::tuple<IdleKind, std::string, std::string>, IdleRow> by_cause;
  for (const Waits* rank : ranks) {
    for (const IdleRow& row : rank->idle) {
      IdleRow& sum = by_cause[{row.kind, row.name, row.inside}];
      sum.kind = row.kind;
      sum.name = row.name;
      sum.inside = row.inside;
      add_idle_row(row, sum);
    }
  }
  std::vector<IdleRow> rows;
  for (auto& [cause, sum] : by_cause) rows.push_back(std::move(sum));
  std::stable_sort(rows.begin(), rows.end(), [](const IdleRow& a, const IdleRow& b) {
    return a.idle.total_ns > b.idle.total_ns;
  });
  return rows;
}

std::vector<RuntimeCallRow> merge_calls(const std::vector<const Waits*>& ranks) {
  std::map<std::string, RuntimeCallRow> by_name;
  for (const Waits* rank : ranks) {
    for (const RuntimeCallRow& row : rank->calls) {
      RuntimeCallRow& sum = by_name[row.name];
      sum.name = row.name;
      sum.purpose = row.purpose;
      add_call_row(row, sum);
    }
  }
  std::vector<RuntimeCallRow> rows;
  for (auto& [name, sum] : by_name) rows.push_back(std::move(sum));
  std::stable_sort(rows.begin(), rows.end(), [](const RuntimeCallRow& a, const RuntimeCallRow& b) {
    return a.host.total_ns > b.host.total_ns;
  });
  return rows;
}

}  // namespace

std::string_view word_of(IdleKind kind) {
  switch (kind) {
    case IdleKind::kOverhead:
      return "overhead";
    case IdleKind::kRuntimeCall:
      return "runtime_call";
    case IdleKind::kDataLoading:
      return "data_loading";
    case IdleKind::kOperator:
      return "operator";
    case IdleKind::kRange:
      return "range";
    case IdleKind::kScript:
      return "script";
    case IdleKind::kNothing:
      return "nothing";
    case IdleKind::kLaunched:
      return "launched";
  }
  return "nothing";
}

Waits measure_waits(const AttributedTrace& input, const IntervalSet& span,
                    const IntervalSet& steps) {
  if (input.is_whole) return measure_whole(input, span, steps);
  // Work that others launched keeps a device busy too, and their calls explain its idle time.
  return measure_whole(attribute_trace(input.trace, {}, input.tree.rules), span, steps);
}

Waits merge_waits(const std::vector<const Waits*>& ranks) {
  Waits merged;
  for (const Waits* rank : ranks) {
    merged.idle_ns += rank->idle_ns;
    merged.idle_in_steps_ns += rank->idle_in_steps_ns;
    merged.paced_idle_ns += rank->paced_idle_ns;
    merged.paced_gaps += rank->paced_gaps;
    merged.streams.insert(merged.streams.end(), rank->streams.begin(), rank->streams.end());
  }
  merged.idle = merge_idle(ranks);
  merged.calls = merge_calls(ranks);
  sort_streams(merged.streams);
  return merged;
}

}  // namespace strobe::analysis
