#include "strobe/bench/workers/group_run.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/judge/kernel_signature.h"
#include "strobe/bench/measure/measure.h"
#include "strobe/bench/workers/whole_cell.h"
#include "strobe/bench/workers/worker_session.h"
#include "strobe/stats/moments.h"

namespace strobe::bench {
namespace {

constexpr std::array kMeasureOrder = {TimeMode::kDevice, TimeMode::kGraph, TimeMode::kCall,
                                      TimeMode::kActivity, TimeMode::kCpu};
constexpr double kNearFloor = 1.5;
constexpr double kHostBound = 1.2;

// The fate of a contender's worker after the group.
enum class WorkerState : std::uint8_t {
  kSound,     // it serves the next cell
  kSpoiled,   // it failed, perhaps in a secondary mode: the next cell gets another
  kReplaced,  // it failed, and the next one is already loading
};

// One provider during the run of a group.
struct Contender {
  WorkerSession* session = nullptr;
  CellRecord* record = nullptr;
  PrepareRequest prepare = {};
  double resident_bytes = 0;
  std::optional<std::int64_t> id = {};  // of the cell prepared by the worker
  WorkerState worker = WorkerState::kSound;
  std::optional<CompileTimes> compile = {};  // of the first time: later ones find compiled code
  double median_mhz = 0;                     // while its headline was measured; 0: not read

  bool is_in() const { return ran_through(record->status); }
  void drop(CellStatus status, std::string reason) {
    record->status = status;
    record->reason = std::move(reason);
    note_failure();
  }
  void note_failure() {
    if (record->status == CellStatus::kError || record->status == CellStatus::kOom ||
        record->status == CellStatus::kTimeout) {
      worker = WorkerState::kSpoiled;
    }
  }
};

// "torch" for "torch-inductor".
std::string_view family_of(std::string_view provider) {
  return provider.substr(0, provider.find('-'));
}

// Compares each record with the first, as tables do, and with earlier ones of its own family, to
// find a compiled function that silently was the eager one.
void judge_pairs(std::vector<CellRecord>& records) {
  for (std::size_t later = 1; later < records.size(); ++later) {
    for (std::size_t i = 0; i < later; ++i) {
      const bool is_kin =
          family_of(records[i].cell.provider) == family_of(records[later].cell.provider);
      if (i == 0 || is_kin) judge_pair(records[i], records[later]);
    }
  }
}

class GroupRun {
 public:
  GroupRun(const CellGroup& group, const PrepareRequest& prepare, const CellTiming& timing,
           const RowFolder& folder, RunState& state)
      : group_(group),
        prepare_(prepare),
        timing_(timing),
        folder_(folder),
        state_(state),
        key_(worker_key(group)) {}

  std::vector<CellRecord> run(Sessions sessions) {
    std::vector<CellRecord> records(sessions.size());
    std::vector<Contender> contenders;
    for (const auto& session : sessions) {
      if (session->was_ever_available()) session->start(key_);
    }
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      contenders.push_back(begin(*sessions[i], records[i]));
    }
    for (Contender& contender : contenders) plan(contender);
    for (const std::vector<Contender*>& batch : batches(contenders)) run_batch(batch);
    // After a failure a device may be in any state, and recording kernels leaves hooks in a process
    // that slow later calls; the next cell gets a new worker.
    for (Contender& contender : contenders) {
      if (contender.worker == WorkerState::kSpoiled || has_recorded(contender)) {
        contender.session->end();
      }
    }
    judge_pairs(records);
    return records;
  }

 private:
  // Long-lived stacks record the list of kernels anyway, and API calls with it.
  bool has_recorded(const Contender& contender) const {
    if (timing_.is_profiled) return false;
    return contender.record->times.contains(TimeMode::kActivity) ||
           (!contender.record->api.empty() && !contender.session->lives_long());
  }

  Contender begin(WorkerSession& session, CellRecord& record) {
    const CaseCosts costs = costs_of(*group_.info, group_.shape, group_.dtype);
    record.cell = {std::string(group_.info->id), group_.shape, group_.dtype, session.provider()};
    record.status = CellStatus::kOk;
    record.bytes.min = costs.min_bytes;
    record.bytes.unfused = costs.unfused_bytes;
    record.flops = costs.flops;
    Contender contender{.session = &session, .record = &record};
    contender.prepare = prepare_;
    contender.prepare.cell = record.cell;
    if (!session.was_ever_available()) {
      contender.drop(CellStatus::kUnsupported, session.hello().info.obstacle);
    } else if (Result<void> begun = session.begin(key_); !begun) {
      contender.drop(CellStatus::kError, begun.error().what);
    }
    return contender;
  }

  void plan(Contender& contender) {
    if (!contender.is_in() || !contender.session->can("plan")) return;
    WorkerRequest asked{.op = WorkerOp::kPlan, .id = contender.session->new_id()};
    asked.prepare = contender.prepare;
    const WorkerReply reply = contender.session->ask(asked);
    if (reply.plan) {
      contender.resident_bytes = reply.plan->resident_bytes;
      contender.record->bytes.resident = contender.resident_bytes;
    }
    if (reply.status != CellStatus::kOk) {
      contender.drop(reply.status, reply.reason);
    } else if (auto why = predicted_oom(contender.resident_bytes, reply.free_bytes)) {
      contender.drop(CellStatus::kOomPredicted, std::move(*why));
    }
    if (reply.free_bytes) {
      const std::string& device = contender.session->hello().info.device;
      const auto [at, is_new] = free_bytes_.try_emplace(device, *reply.free_bytes);
      if (!is_new) at->second = std::min(at->second, *reply.free_bytes);
    }
  }

  // Side by side if the memory of each device suffices for all, otherwise one after the other.
  std::vector<std::vector<Contender*>> batches(std::vector<Contender>& contenders) {
    std::map<std::string, std::vector<double>> needs;
    std::vector<Contender*> all;
    std::vector<std::vector<Contender*>> alone;
    for (Contender& contender : contenders) {
      if (!contender.is_in()) continue;
      alone.push_back({&contender});
      if (!contender.session->can("sample")) continue;
      all.push_back(&contender);
      needs[contender.session->hello().info.device].push_back(contender.resident_bytes);
    }
    const bool fit = std::ranges::all_of(needs, [&](const auto& need) {
      const auto free = free_bytes_.find(need.first);
      return free == free_bytes_.end() || fit_together(need.second, free->second);
    });
    if (!fit) return alone;
    std::vector<std::vector<Contender*>> batches;
    if (!all.empty()) batches.push_back(all);
    for (const std::vector<Contender*>& one : alone) {
      if (!one[0]->session->can("sample")) batches.push_back(one);
    }
    return batches;
  }

  void run_batch(const std::vector<Contender*>& batch) {
    if (!batch[0]->session->can("sample")) {
      run_whole_cell(*batch[0]->session, batch[0]->prepare, timing_, reference_for(*batch[0]),
                     folder_, state_.usual_mhz(), *batch[0]->record);
      batch[0]->note_failure();
      flag_times(*batch[0]->record, state_.floors);
      return;
    }
    for (Contender* contender : batch) {
      if (contender->is_in()) prepare(*contender, contender->prepare);
    }
    replace_failed(batch);
    for (const TimeMode mode : kMeasureOrder) measure_mode(batch, mode);
    for (Contender* contender : batch) {
      note_untimed(*contender);
      measure_long_calls(*contender);
    }
    for (Contender* contender : batch) {
      check_and_finish(*contender);
      flag_times(*contender->record, state_.floors);
    }
  }

  // After timing: checks a new call of what was timed.
  void check_and_finish(Contender& contender) {
    if (!contender.is_in() || !contender.session->can("rows")) {
      if (contender.is_in()) {
        contender.record->notes.emplace_back("values unchecked: the worker gives none");
      }
      return finish(contender);
    }
    CellReference& reference = reference_for(contender);
    if (!reference.has_own_law()) {
      check(contender, reference);
      return finish(contender);
    }
    // The timed inputs cannot be checked, so the same code runs on others.
    finish(contender);
    if (!contender.is_in()) return;
    prepare(contender, reference.request());
    if (!contender.id) return;
    check(contender, reference);
    contender.session->ask({.op = WorkerOp::kFinish, .id = *contender.id});
    contender.id.reset();
  }

  // A stack that takes seconds to load does so while the others are measured, unless they are
  // measured by the host's clock: the loading would disturb them.
  static void replace_failed(const std::vector<Contender*>& batch) {
    const auto is_measured = [](const Contender* contender) { return contender->is_in(); };
    const auto is_on_host = [](const Contender* contender) {
      return contender->is_in() && contender->session->has(TimeMode::kCpu);
    };
    if (std::ranges::none_of(batch, is_measured) || std::ranges::any_of(batch, is_on_host)) return;
    for (Contender* contender : batch) {
      if (contender->worker != WorkerState::kSpoiled || !contender->session->lives_long()) continue;
      contender->session->end();
      contender->session->start("");
      contender->id.reset();
      contender->worker = WorkerState::kReplaced;
    }
  }

  CellReference& reference_for(const Contender& contender) {
    if (!reference_) reference_.emplace(*group_.info, contender.prepare);
    return *reference_;
  }

  void prepare(Contender& contender, const PrepareRequest& how) {
    WorkerRequest asked{.op = WorkerOp::kPrepare, .id = contender.session->new_id()};
    asked.prepare = how;
    asked.prepare.cell.provider = contender.record->cell.provider;
    const WorkerReply reply = contender.session->ask(asked);
    if (reply.status != CellStatus::kOk) {
      contender.drop(reply.status, reply.reason);
      return;
    }
    contender.id = asked.id;
    if (!contender.compile) contender.compile = reply.compile;
  }

  void check(Contender& contender, CellReference& reference) {
    const AskForRows ask = [&](std::size_t output, const std::string& file) {
      WorkerRequest asked{.op = WorkerOp::kRows, .id = *contender.id};
      asked.output = output;
      asked.rows = reference.rows(output);
      asked.file = file;
      return contender.session->ask(asked);
    };
    const Checked checked = check_cell(reference, folder_, timing_.repeat_check, ask);
    CellRecord& record = *contender.record;
    record.accuracy = checked.accuracy;
    record.notes.insert(record.notes.end(), checked.notes.begin(), checked.notes.end());
    if (checked.status != CellStatus::kOk) contender.drop(checked.status, checked.reason);
    if (!checked.is_repeatable) record.set(CellFlag::kUnrepeatable);
  }

  bool is_wanted(TimeMode mode, const WorkerSession& session) const {
    const std::vector<TimeMode> usual = session.usual_modes();
    const std::vector<TimeMode>& wanted = timing_.modes.empty() ? usual : timing_.modes;
    return wanted.empty() || std::ranges::find(wanted, mode) != wanted.end();
  }

  void measure_mode(const std::vector<Contender*>& batch, TimeMode mode) {
    std::vector<Contender*> taking_part;
    std::vector<RemoteSampler> samplers;
    for (Contender* contender : batch) {
      if (!contender->is_in() || !contender->id) continue;
      if (!contender->session->has(mode) || !is_wanted(mode, *contender->session)) continue;
      taking_part.push_back(contender);
      samplers.emplace_back(*contender->session, *contender->id);
    }
    if (samplers.empty()) return;
    std::vector<Sampler*> pointers;
    for (RemoteSampler& sampler : samplers) pointers.push_back(&sampler);
    MeasureOptions options = timing_.measure;
    options.usual_mhz = state_.usual_mhz();
    std::vector<Measured> measured = measure(pointers, mode, options);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      CellRecord& record = *taking_part[i]->record;
      if (!measured[i].failure.empty()) {
        fail(*taking_part[i], mode, samplers[i].status(), measured[i].failure);
        continue;
      }
      record.times[mode] = std::move(measured[i].summary);
      if (const double mhz = measured[i].median_mhz; mhz > 0) {
        state_.clocks_mhz.push_back(mhz);
        if (taking_part[i]->median_mhz == 0) taking_part[i]->median_mhz = mhz;
      }
      // The flags describe the headline; the other times have their own intervals.
      const bool is_headline = record.headline() == record.time(mode);
      if (is_headline && measured[i].is_noisy) record.set(CellFlag::kNoisy);
      if (is_headline && measured[i].is_throttled) record.set(CellFlag::kThrottled);
      if (!is_headline && measured[i].is_throttled) {
        record.notes.push_back(lower_clock_note(mode));
      }
    }
  }

  // A worker that is still alive keeps the times it has given.
  static void fail(Contender& contender, TimeMode mode, CellStatus status, const std::string& why) {
    const bool is_word = status == CellStatus::kError || status == CellStatus::kUnsupported;
    if (is_word && contender.record->headline() != nullptr && contender.session->is_alive()) {
      contender.record->notes.push_back(fmt::format("{}: not timed: {}", mode_name(mode), why));
      contender.worker = WorkerState::kSpoiled;
      return;
    }
    contender.drop(status == CellStatus::kOk ? CellStatus::kError : status, why);
  }

  // Reports requested modes that the provider does not have.
  void note_untimed(Contender& contender) const {
    if (!contender.is_in() || !contender.id) return;
    const WorkerSession& session = *contender.session;
    const std::vector<TimeMode>& has = session.hello().modes;
    std::vector<std::string_view> names;
    for (const TimeMode mode : has) names.push_back(mode_name(mode));
    if (contender.record->times.empty()) {
      contender.drop(CellStatus::kUnsupported,
                     fmt::format("it cannot be timed this way; it has {}", fmt::join(names, ", ")));
      return;
    }
    for (const TimeMode mode : timing_.modes) {
      // The host's clock is used only for the host, whatever modes were requested.
      if (session.has(mode) || mode == TimeMode::kCpu || session.has(TimeMode::kCpu)) continue;
      contender.record->notes.push_back(fmt::format("{}: not timed: the provider has {}",
                                                    mode_name(mode), fmt::join(names, ", ")));
    }
  }

  // Alone and after a rest, so that the first calls run on a cool device.
  void measure_long_calls(Contender& contender) {
    constexpr std::chrono::milliseconds kRest{100};
    constexpr double kMostMs = 1000;
    const TimeSummary* const device = contender.record->time(TimeMode::kDevice);
    if (timing_.is_profiled || !contender.is_in()) return;
    if (device == nullptr || device->p50 < kSustainedFromUs) return;
    std::this_thread::sleep_for(kRest);
    RemoteSampler sampler(*contender.session, *contender.id);
    const auto found = measure_sustained(
        sampler, TimeMode::kDevice, {.most_ms = std::min(kMostMs, timing_.measure.stop.most_ms)});
    if (!found) contender.drop(sampler.status(), found.error().what);
    if (!found || !*found) return;
    contender.record->burst_us = (*found)->burst_us;
    contender.record->sustained_us = (*found)->sustained_us;
  }

  void finish(Contender& contender) {
    if (!contender.id) return;
    WorkerRequest asked{.op = WorkerOp::kFinish, .id = *contender.id};
    asked.wants_api = timing_.lists_api && contender.is_in();
    const WorkerReply reply = contender.session->ask(asked);
    contender.id.reset();
    if (contender.compile) contender.record->compile = *contender.compile;
    if (reply.status == CellStatus::kOk) {
      describe(reply, *contender.record);
    } else if (contender.is_in()) {
      contender.drop(reply.status, reply.reason);
    }
    // The worker reports the clock at the time of the request, when the device may be idle again.
    if (contender.median_mhz > 0) contender.record->clocks.sm_mhz = contender.median_mhz;
  }

  const CellGroup& group_;
  const PrepareRequest& prepare_;
  const CellTiming& timing_;
  const RowFolder& folder_;
  RunState& state_;
  std::string key_;
  std::optional<CellReference> reference_;
  std::map<std::string, double> free_bytes_;  // by device
};

}  // namespace

double RunState::usual_mhz() const { return clocks_mhz.empty() ? 0 : stats::median_of(clocks_mhz); }

void flag_times(CellRecord& record, const Floors& floors) {
  const TimeSummary* const device = record.time(TimeMode::kDevice);
  if (device == nullptr) return;
  if (floors.empty_kernel_events && device->p50 <= kNearFloor * *floors.empty_kernel_events) {
    record.set(CellFlag::kNearFloor);
  }
  const TimeSummary* const call = record.time(TimeMode::kCall);
  if (call != nullptr && call->p50 > kHostBound * device->p50) {
    record.set(CellFlag::kHostBound);
  }
}

std::vector<CellRecord> run_group(const CellGroup& group, const PrepareRequest& prepare,
                                  const CellTiming& timing, Sessions sessions,
                                  const RowFolder& folder, RunState& state) {
  return GroupRun(group, prepare, timing, folder, state).run(sessions);
}

}  // namespace strobe::bench
