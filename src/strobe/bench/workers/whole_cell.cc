#include "strobe/bench/workers/whole_cell.h"

#include <algorithm>

#include "strobe/bench/measure/summary.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {
namespace {

// The first of kHeadlineModes that the reply has.
TimeMode headline_mode(const WorkerReply& reply) {
  return *std::ranges::find_if(kHeadlineModes,
                               [&](TimeMode mode) { return reply.samples.contains(mode); });
}

// The flags describe the headline; the other times have their own intervals.
void take_samples(const SampleBlock& block, TimeMode mode, bool is_headline,
                  const MeasureOptions& options, double usual_mhz, CellRecord& record) {
  const ClockedSamples all = {block.samples_us, block.sm_mhz};
  const KeptSamples kept =
      set_throttled_aside(all, usual_mhz > 0 ? usual_mhz : usual_clock({&all, 1}),
                          options.throttle_below, options.throttle_share);
  record.times[mode] = summarise(kept.samples_us);
  record.times[mode].set_aside = kept.set_aside;
  if (!is_headline) {
    if (kept.is_throttled) record.notes.push_back(lower_clock_note(mode));
    return;
  }
  // The worker decides the number of samples, so the rule's minimum limits do not apply.
  if (!is_precise(kept.samples_us, at_the_cap(options.stop))) record.set(CellFlag::kNoisy);
  if (kept.is_throttled) record.set(CellFlag::kThrottled);
  if (const double mhz = usual_clock({&all, 1}); mhz > 0) record.clocks.sm_mhz = mhz;
}

void take_reply(const WorkerReply& reply, const CellTiming& timing, double usual_mhz,
                CellRecord& record) {
  for (const auto& [mode, block] : reply.samples) {
    if (Result<void> checked = check_samples(block); !checked) {
      record.status = CellStatus::kError;
      record.reason = checked.error().what;
      return;
    }
  }
  describe(reply, record);
  record.compile = reply.compile;
  const TimeMode headline = headline_mode(reply);
  for (const auto& [mode, block] : reply.samples) {
    take_samples(block, mode, mode == headline, timing.measure, usual_mhz, record);
  }
}

}  // namespace

void run_whole_cell(WorkerSession& session, const PrepareRequest& prepare, const CellTiming& timing,
                    CellReference& reference, const RowFolder& folder, double usual_mhz,
                    CellRecord& record) {
  const auto ask = [&](const PrepareRequest& how, std::vector<TimeMode> modes, std::size_t output,
                       const std::string& file) {
    WorkerRequest asked{.op = WorkerOp::kCell, .id = session.new_id()};
    asked.prepare = how;
    asked.prepare.cell.provider = session.provider();
    asked.modes = std::move(modes);
    asked.sample.budget_ms = timing.measure.stop.most_ms;
    asked.output = output;
    if (!file.empty()) asked.rows = reference.rows(output);
    asked.file = file;
    asked.wants_api = timing.lists_api && !asked.modes.empty();
    return session.ask(asked);
  };
  std::vector<TimeMode> modes = timing.modes;
  if (modes.empty()) modes = session.usual_modes();
  if (modes.empty()) modes = {TimeMode::kDevice};

  const Checked checked = check_cell(reference, folder, timing.repeat_check,
                                     [&](std::size_t output, const std::string& file) {
                                       return ask(reference.request(), {}, output, file);
                                     });
  record.accuracy = checked.accuracy;
  record.notes = checked.notes;
  record.status = checked.status;
  record.reason = checked.reason;
  if (!checked.is_repeatable) record.set(CellFlag::kUnrepeatable);
  if (!ran_through(checked.status)) return;

  const WorkerReply reply = ask(prepare, modes, 0, "");
  if (reply.status != CellStatus::kOk) {
    record.status = reply.status;
    record.reason = reply.reason;
    return;
  }
  if (reply.samples.empty()) {
    record.status = CellStatus::kError;
    record.reason = "the worker gave no sample";
    return;
  }
  take_reply(reply, timing, usual_mhz, record);
}

}  // namespace strobe::bench
