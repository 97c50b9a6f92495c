#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "strobe/analysis/memory/allocator_study.h"
#include "strobe/analysis/steps/steps.h"
#include "strobe/analysis/tables/summary.h"
#include "strobe/analysis/timeline/counter_lines.h"
#include "strobe/analysis/timeline/slice_links.h"
#include "strobe/analysis/timeline/timeline.h"
#include "strobe/analysis/timeline/track_groups.h"
#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"

namespace strobe::serve {

// Which content of a file was loaded; the file of a recording in progress grows.
struct TraceEdition {
  std::uint64_t generation = 0;  // another one for every load
  bool is_recording = false;     // there will be more
};

// What the answers about a job need of the trace of a rank: a few kB.
struct KeptDigest {
  std::string packed;
  std::int64_t first_step_ns = 0;  // since the trace's origin
};

// One loaded trace, const and shared by all requests. Data that only some answers need is computed
// once, by the first request that needs it.
class OpenTrace {
 public:
  OpenTrace(std::string name, readers::LoadedTrace loaded, TraceEdition edition = {});
  ~OpenTrace();

  const std::string& name() const;  // as /api/v1/runs lists it
  const Trace& trace() const;
  const ImportReport& report() const;
  const TraceEdition& edition() const;

  Interval shown_time() const;  // the reach of the timeline, without building that
  const analysis::Timeline& timeline() const;
  const std::vector<analysis::TrackGroup>& groups() const;
  const std::vector<analysis::Step>& steps() const;
  const analysis::AttributedTrace& attributed() const;
  const analysis::SliceLinks& links() const;
  const std::vector<analysis::CounterLine>& counters() const;
  const analysis::Summary& summary() const;  // of all steps
  const Result<KeptDigest>& digest() const;  // an error if it is no rank's
  bool has_digest() const;                   // it is made already

  // Null unless the file is a snapshot of an allocator; then there is a study of it, with curves.
  const AllocatorSnapshot* snapshot() const;
  const analysis::AllocatorStudy& allocator_study() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace strobe::serve
