#include "tests/support/recount/recount.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "tests/support/recount/device_times.h"
#include "tests/support/recount/idle_causes.h"
#include "tests/support/recount/meaning.h"
#include "tests/support/recount/names.h"
#include "tests/support/recount/sorted_slices.h"
#include "tests/support/recount/spans.h"

namespace strobe::recount {
namespace {

// Returns the time of all steps.
Spans count_steps(const SortedSlices& slices, const DeviceTimes& times, Tables& tables) {
  Spans all;
  for (const RawSlice& slice : slices.all) {
    if (!is_step(slice)) continue;
    StepRow& step = tables.steps[slice.name];
    step.duration_ns = duration_ns(slice);
    const Spans whole{span_of(slice)};
    step.kernel_ns = together_ns(whole, times.computation);
    const Spans rest = without(whole, times.computation);
    step.communication_ns = together_ns(rest, times.communication);
    const Spans quiet = without(rest, times.communication);
    step.copy_ns = together_ns(quiet, times.copies);
    step.idle_ns = length(without(quiet, times.copies));
    all.push_back(span_of(slice));
  }
  all = joined(std::move(all));
  tables.idle_in_steps_ns = together_ns(times.idle, all);
  return all;
}

void count_calls(const SortedSlices& slices, const DeviceTimes& times, const Spans& steps,
                 Tables& tables) {
  for (const auto& [key, thread] : slices.threads) {
    std::map<std::string, Spans> by_name;
    for (const std::size_t i : thread.calls) {
      CallRow& row = tables.calls[slices[i].name];
      ++row.calls;
      row.longest_ns = std::max(row.longest_ns, duration_ns(slices[i]));
      by_name[slices[i].name].push_back(span_of(slices[i]));
    }
    for (auto& [name, spans] : by_name) {
      const Spans open = joined(std::move(spans));
      CallRow& row = tables.calls[name];
      row.total_ns += length(open);
      row.in_steps_ns += together_ns(open, steps);
      row.device_idle_ns += together_ns(open, times.idle);
    }
  }
}

void count_phases(const SortedSlices& slices, Tables& tables) {
  std::map<std::string, Spans> phases;
  for (const RawSlice& slice : slices.all) {
    if (what_is(slice) != What::kRange) continue;
    const std::string phase = phase_of(slice);
    if (!phase.empty()) phases[phase].push_back(span_of(slice));
  }
  for (auto& [phase, spans] : phases) tables.phases_ns[phase] = length(joined(std::move(spans)));
}

void count_memory(const RawTrace& trace, Tables& tables) {
  for (const RawMemory& event : trace.memory) {
    MemoryRow& row = tables.memory[event.place];
    if (event.bytes < 0) {
      ++row.frees;
      row.freed_bytes -= event.bytes;
    } else {
      ++row.allocations;
      row.allocated_bytes += event.bytes;
    }
  }
}

}  // namespace

Tables count(const RawTrace& trace) {
  const SortedSlices slices(trace);
  const DeviceTimes times(slices);
  Tables tables;
  tables.slices = trace.slices.size();
  count_devices(slices, times, tables);
  count_names(slices, tables);
  const Spans steps = count_steps(slices, times, tables);
  count_calls(slices, times, steps, tables);
  count_phases(slices, tables);
  count_memory(trace, tables);
  count_idle_causes(slices, times, tables);
  return tables;
}

}  // namespace strobe::recount
