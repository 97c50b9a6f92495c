#include "strobe/serve/open_trace.h"

#include <utility>

#include "strobe/fleet/digest/digest_file.h"
#include "strobe/fleet/digest/rank_numbers.h"
#include "strobe/report/summary/import_warning.h"
#include "strobe/serve/on_demand.h"

namespace strobe::serve {
namespace {

Result<KeptDigest> digest_trace(const OpenTrace& open) {
  if (open.snapshot() != nullptr) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "a snapshot of an allocator is no rank of a job",
                 .where = open.name(),
                 .hint = "ask for the other traces"};
  }
  STROBE_TRY(const fleet::RankDigest digest,
             fleet::digest_of(open.trace(), open.name(),
                              report::import_warning(open.name(), open.report())));
  auto packed = fleet::pack_rank_digest(digest);
  if (!packed) {
    Error error = std::move(packed).error();
    error.code = ErrorCode::kMalformed;  // the trace is at fault
    error.where = open.name();
    return error;
  }
  const std::int64_t first_step_ns =
      digest.steps.front().interval.start_ns - open.trace().metadata().base_time_ns;
  return KeptDigest{.packed = std::move(*packed),
                    .first_step_ns = first_step_ns - analysis::slice_extent(open.trace()).start_ns};
}

}  // namespace

struct OpenTrace::Parts {
  Parts(std::string its_name, readers::LoadedTrace the_loaded, TraceEdition its_edition)
      : name(std::move(its_name)), loaded(std::move(the_loaded)), edition(its_edition) {}

  std::string name;
  readers::LoadedTrace loaded;
  TraceEdition edition;
  OnDemand<Interval> shown_time;
  OnDemand<analysis::Timeline> timeline;
  OnDemand<std::vector<analysis::TrackGroup>> groups;
  OnDemand<std::vector<analysis::Step>> steps;
  OnDemand<analysis::AttributedTrace> attributed;
  OnDemand<analysis::SliceLinks> links;
  OnDemand<std::vector<analysis::CounterLine>> counters;
  OnDemand<analysis::Summary> summary;
  OnDemand<Result<KeptDigest>> digest;
  OnDemand<analysis::AllocatorStudy> allocator_study;
};

OpenTrace::OpenTrace(std::string name, readers::LoadedTrace loaded, TraceEdition edition)
    : parts_(std::make_unique<Parts>(std::move(name), std::move(loaded), edition)) {}

OpenTrace::~OpenTrace() = default;

const std::string& OpenTrace::name() const { return parts_->name; }

const Trace& OpenTrace::trace() const { return parts_->loaded.trace; }

const ImportReport& OpenTrace::report() const { return parts_->loaded.report; }

const TraceEdition& OpenTrace::edition() const { return parts_->edition; }

Interval OpenTrace::shown_time() const {
  return parts_->shown_time.get([&] { return analysis::shown_time(trace()); });
}

const analysis::Timeline& OpenTrace::timeline() const {
  return parts_->timeline.get([&] { return analysis::Timeline(trace()); });
}

const std::vector<analysis::TrackGroup>& OpenTrace::groups() const {
  return parts_->groups.get([&] { return analysis::group_tracks(trace()); });
}

const std::vector<analysis::Step>& OpenTrace::steps() const {
  return parts_->steps.get([&] { return analysis::list_steps(trace()); });
}

const analysis::AttributedTrace& OpenTrace::attributed() const {
  return parts_->attributed.get([&] { return analysis::attribute_trace(trace()); });
}

const analysis::SliceLinks& OpenTrace::links() const {
  return parts_->links.get([&] { return analysis::SliceLinks(timeline(), attributed()); });
}

const std::vector<analysis::CounterLine>& OpenTrace::counters() const {
  return parts_->counters.get([&] { return analysis::list_counter_lines(attributed()); });
}

const analysis::Summary& OpenTrace::summary() const {
  return parts_->summary.get([&] { return analysis::summarize(trace()); });
}

const Result<KeptDigest>& OpenTrace::digest() const {
  return parts_->digest.get([&] { return digest_trace(*this); });
}

bool OpenTrace::has_digest() const { return parts_->digest.peek() != nullptr; }

const AllocatorSnapshot* OpenTrace::snapshot() const { return parts_->loaded.snapshot.get(); }

const analysis::AllocatorStudy& OpenTrace::allocator_study() const {
  return parts_->allocator_study.get([&] { return analysis::study_allocator(*snapshot(), true); });
}

}  // namespace strobe::serve
