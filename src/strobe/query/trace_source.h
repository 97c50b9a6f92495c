#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "strobe/analysis/launches/attribution.h"
#include "strobe/analysis/tables/modules.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/bench/results/cell_record.h"
#include "strobe/query/names.h"
#include "strobe/trace/allocator_snapshot.h"
#include "strobe/trace/import_report.h"
#include "strobe/trace/kernel_table.h"
#include "strobe/trace/metric_series.h"
#include "strobe/trace/trace.h"

namespace strobe::query {

// One trace that can be queried. What it points to must outlive the engine.
struct TraceInput {
  std::string run;  // its label
  std::int32_t rank = 0;
  std::string path;
  const Trace* trace = nullptr;
  const ImportReport* import = nullptr;
  // These may be null: no snapshot of an allocator, no samples, no counters of kernels, no
  // benchmark.
  const AllocatorSnapshot* snapshot = nullptr;
  const std::vector<MetricSeries>* metrics = nullptr;
  const KernelTable* counters = nullptr;
  const bench::BenchRun* bench = nullptr;
};

class RunJob;
struct RankInJob;

// A value that the first thread that asks for it makes.
template <class Value>
class Lazy {
 public:
  template <class Make>
  const Value& get(const Make& make) const {
    std::call_once(once_, [&] { value_ = std::make_unique<const Value>(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const Value> value_;
};

// A trace with everything that its tables need, made when a query asks for it.
class TraceSource {
 public:
  // `job`: that of its run, and its place among the traces of the run.
  TraceSource(TraceInput input, std::size_t number, const std::function<const Names&()>& names,
              std::shared_ptr<const RunJob> job, std::size_t place)
      : input_(std::move(input)),
        number_(number),
        names_(names),
        job_(std::move(job)),
        place_in_run_(place) {}
  TraceSource(const TraceSource&) = delete;
  TraceSource& operator=(const TraceSource&) = delete;

  const TraceInput& input() const { return input_; }
  const Trace& trace() const { return *input_.trace; }

  Name name(StringId id) const { return names().name(number_, id); }
  Name name(SliceId slice) const { return name(trace().slices().names[slice.index()]); }
  Name run() const {
    return run_.get([&] { return names().word(input_.run); });
  }
  // Of a kind of slice.
  Name kind(SliceKind kind) const {
    return kinds_.get([&] {
      std::array<Name, kSliceKinds> kinds;
      for (int i = 0; i < kSliceKinds; ++i) {
        kinds[static_cast<std::size_t>(i)] = names().word(word_of(static_cast<SliceKind>(i)));
      }
      return kinds;
    })[static_cast<std::size_t>(kind)];
  }

  // Slices of these kinds, in file order.
  const std::vector<SliceId>& kernels() const;
  const std::vector<SliceId>& copies() const;

  const analysis::AttributedTrace& attributed() const;
  const analysis::Summary& summary() const;

  // Host ranges that are operators, and all others; without the nodes of threads.
  const std::vector<analysis::NodeId>& operators() const;
  const std::vector<analysis::NodeId>& ranges() const;
  // Per node.
  const std::vector<std::uint32_t>& depths() const;
  const std::vector<std::int64_t>& self_device_ns() const;  // with that of ranges in it
  const std::vector<bool>& outermost() const;               // no namesake of its sort around it
  // The work of a device slice in Attribution::Works.
  const std::vector<std::uint32_t>& works_of_slices() const;
  static constexpr std::uint32_t kNoWork = 0xFFFFFFFFu;

  // The tree of modules, parents before their children.
  struct Module {
    const analysis::ModuleRow* row = nullptr;
    std::int32_t depth = 0;
    std::int64_t parent = -1;  // its position in the list, or -1
  };
  const std::vector<Module>& modules() const;

  // Arguments of slices, one after the other: per slice, how many there are up to its last one.
  const std::vector<std::uint64_t>& argument_ends() const;

  // It as a rank of the job that its run is, and the slices of RankInJob::calls.
  const RankInJob& in_job() const;
  const std::vector<SliceId>& slices_of_calls() const;

  // The step in which a time is: its position among the summary's, or -1.
  std::int32_t step_at(std::int64_t time_ns) const;

 private:
  const Names& names() const { return names_(); }
  std::vector<SliceId> slices_of(const std::function<bool(SliceKind)>& is_wanted) const;
  std::vector<analysis::NodeId> nodes_of(bool are_operators) const;

  TraceInput input_;
  std::size_t number_;
  std::function<const Names&()> names_;
  std::shared_ptr<const RunJob> job_;
  std::size_t place_in_run_;
  Lazy<Name> run_;
  Lazy<std::array<Name, kSliceKinds>> kinds_;
  Lazy<std::vector<SliceId>> kernels_;
  Lazy<std::vector<SliceId>> copies_;
  Lazy<analysis::AttributedTrace> attributed_;
  Lazy<analysis::Summary> summary_;
  Lazy<std::vector<analysis::NodeId>> operators_;
  Lazy<std::vector<analysis::NodeId>> ranges_;
  Lazy<std::vector<std::uint32_t>> depths_;
  Lazy<std::vector<std::int64_t>> self_device_ns_;
  Lazy<std::vector<bool>> outermost_;
  Lazy<std::vector<std::uint32_t>> works_;
  Lazy<std::vector<analysis::ModuleRow>> module_tree_;
  Lazy<std::vector<Module>> modules_;
  Lazy<std::vector<std::uint64_t>> argument_ends_;
  Lazy<std::vector<SliceId>> slices_of_calls_;
};

// Adds these traces; those of one run are a job, which `threads` make when it is needed.
void add_sources(std::vector<TraceInput> traces, const std::function<const Names&()>& names,
                 unsigned threads, std::deque<TraceSource>& sources);

// Everything that is a name in these traces.
Names names_of(const std::deque<TraceSource>& sources);

}  // namespace strobe::query
