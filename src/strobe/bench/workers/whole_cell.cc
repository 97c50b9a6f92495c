#include "strobe/bench/workers/whole_cell.h"

#include <algorithm>

#include <fmt/format.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/measure/summary.h"
#include "strobe/bench/workers/worker_session.h"

namespace strobe::bench {
namespace {

void add_flag(CellRecord& record, CellFlag flag) {
  if (!record.has(flag)) record.flags.push_back(flag);
}

void take_samples(const SampleBlock& block, TimeMode mode, const MeasureOptions& options,
                  double usual_mhz, CellRecord& record) {
  const ClockedSamples all = {block.samples_us, block.sm_mhz};
  const KeptSamples kept =
      set_throttled_aside(all, usual_mhz > 0 ? usual_mhz : usual_clock({&all, 1}),
                          options.throttle_below, options.throttle_share);
  record.times[mode] = summarise(kept.samples_us);
  record.times[mode].set_aside = kept.set_aside;
  if (kept.is_throttled) add_flag(record, CellFlag::kThrottled);
  if (!is_enough(kept.samples_us, at_the_cap(options.stop))) add_flag(record, CellFlag::kNoisy);
}

void take_reply(const WorkerReply& reply, const CellTiming& timing, double usual_mhz,
                CellRecord& record) {
  record.clocks = reply.clocks;
  for (const auto& [mode, block] : reply.samples) {
    if (Result<void> checked = check_samples(block); !checked) {
      record.status = CellStatus::kError;
      record.reason = checked.error().what;
      return;
    }
    take_samples(block, mode, timing.measure, usual_mhz, record);
  }
  // The first mode gives the headline.
  const SampleBlock& headline = reply.samples.begin()->second;
  const ClockedSamples clocked = {headline.samples_us, headline.sm_mhz};
  if (const double mhz = usual_clock({&clocked, 1}); mhz > 0) record.clocks.sm_mhz = mhz;
  record.kernels = reply.kernels;
  record.signature = signature_of(record.kernels);
  record.api = reply.api;
  record.compile = reply.compile;
  record.config = reply.config;
  record.lacks = reply.lacks;
  record.bytes.resident = reply.resident_bytes;
  record.bytes.peak = reply.peak_bytes;
  record.notes.insert(record.notes.end(), reply.notes.begin(), reply.notes.end());
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
  if (!checked.is_repeatable) record.flags.push_back(CellFlag::kUnrepeatable);
  if (checked.status != CellStatus::kOk && checked.status != CellStatus::kWrong) return;

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
