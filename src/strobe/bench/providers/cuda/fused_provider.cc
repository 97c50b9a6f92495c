#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/codegen/tune_cache.h"
#include "strobe/bench/providers/codegen/tuner.h"
#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/device_program_timer.h"
#include "strobe/bench/providers/cuda/kernel_code.h"
#include "strobe/bench/providers/cuda/program_cell.h"
#include "strobe/bench/providers/cuda/program_providers.h"

namespace strobe::bench {
namespace {

double ms_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
      .count();
}

class FusedProvider final : public CudaProvider {
 public:
  FusedProvider(CandidateMaker maker, OpenSession open)
      : CudaProvider("cuda-fused", std::move(open)), maker_(std::move(maker)) {}

  Result<Plan> plan(const Cell& cell) override {
    const CaseInfo* const info = find_case(cell.case_id);
    Plan plan;
    plan.unsupported = why_not_rows(info, cell);
    if (!plan.unsupported.empty()) return plan;
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    const auto programs = maker_(*info, cell.shape, cell.dtype, opened->device().chip());
    if (!programs) {
      plan.unsupported = programs.error().what;
      return plan;
    }
    plan.resident_bytes =
        static_cast<double>(ProgramCell::bytes_for(*info, cell, programs->front()));
    plan.kernels = static_cast<int>(programs->front().kernels.size());
    return plan;
  }

  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override {
    const CaseInfo* const info = find_case(request.cell.case_id);
    if (std::string why = why_not_rows(info, request.cell); !why.empty()) {
      return Error{
          .code = ErrorCode::kInvalidArgument, .what = std::move(why), .where = "", .hint = ""};
    }
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    opened->keep_code_in(request.cache_folder);
    ProgramOrigin origin;
    const auto start = std::chrono::steady_clock::now();
    STROBE_TRY(const std::vector<KernelProgram> programs,
               maker_(*info, request.cell.shape, request.cell.dtype, opened->device().chip()));
    origin.codegen_ms = ms_since(start);
    STROBE_TRY(std::unique_ptr<ProgramCell> cell,
               programs.size() == 1 ? first_of(programs, opened, *info, request, std::move(origin))
                                    : best_of(programs, opened, *info, request, std::move(origin)));
    return std::unique_ptr<PreparedCell>(std::move(cell));
  }

 private:
  using MadeCell = Result<std::unique_ptr<ProgramCell>>;

  static MadeCell first_of(const std::vector<KernelProgram>& programs,
                           const std::shared_ptr<CudaSession>& opened, const CaseInfo& info,
                           const PrepareRequest& request, ProgramOrigin origin) {
    return ProgramCell::make(opened, info, request, programs.front(),
                             code_in(opened->device(), request.cache_folder), std::move(origin));
  }

  // What is known to be the best of them; if nothing is, they are timed, or the first must do.
  MadeCell best_of(const std::vector<KernelProgram>& programs,
                   const std::shared_ptr<CudaSession>& opened, const CaseInfo& info,
                   const PrepareRequest& request, ProgramOrigin origin) {
    CudaDevice& device = opened->device();
    const auto start = std::chrono::steady_clock::now();
    const std::optional<TuneEntry> entry =
        winner(key_of(device, request, programs), request.cache_folder);
    const std::optional<std::size_t> known =
        entry ? find_candidate(*entry, programs) : std::nullopt;
    if (known) {
      ProgramOrigin kept = origin;
      kept.find_ms = ms_since(start);
      kept.config["tuned"] = fmt::format("earlier, at {:.2f} us", entry->typical_us);
      const CodeOf found = [&](const GeneratedKernel&) -> Result<KernelCode> {
        return KernelCode{.image = entry->image, .is_cached = true, .not_kept = ""};
      };
      MadeCell cell =
          ProgramCell::make(opened, info, request, programs[*known], found, std::move(kept));
      const bool is_final =
          cell || device.is_lost() || cell.error().code == ErrorCode::kMachineLacks;
      if (is_final) return cell;
      origin.notes.push_back("what the cache had was no good: " + cell.error().what);
    }
    return request.may_tune ? tuned(programs, opened, info, request, std::move(origin))
                            : first_of(programs, opened, info, request, std::move(origin));
  }

  MadeCell tuned(const std::vector<KernelProgram>& programs,
                 const std::shared_ptr<CudaSession>& opened, const CaseInfo& info,
                 const PrepareRequest& request, ProgramOrigin origin) {
    CudaDevice& device = opened->device();
    const auto compiling = std::chrono::steady_clock::now();
    const CandidateCode code(device, programs);
    origin.nvrtc_ms = ms_since(compiling);
    const auto timing = std::chrono::steady_clock::now();
    DeviceProgramTimer timer(opened, info, request,
                             [&](const GeneratedKernel& kernel) { return code.of(kernel); });
    STROBE_TRY(const Tuned choice, tune(timer, programs));
    STROBE_TRY(std::unique_ptr<ProgramCell> cell, timer.take(programs[choice.index]));
    origin.autotune_ms = ms_since(timing);
    origin.peak_bytes = timer.peak_bytes();
    origin.config["tuned"] =
        fmt::format("best of {}, at {:.2f} us", choice.timed, choice.typical_us);
    for (const std::string& failure : choice.failures) {
      origin.notes.push_back("left out while tuning: " + failure);
    }
    if (choice.skipped > 0) {
      origin.notes.push_back(
          fmt::format("no time was left to try {} of {} kernels", choice.skipped, programs.size()));
    }
    const KernelProgram& best = programs[choice.index];
    // A program of several kernels has no entry: it is tuned anew in the next process.
    if (best.kernels.size() == 1) {
      // The key is asked for again: the compiler, open now, may be another than it seemed.
      const Result<void> kept = keep(key_of(device, request, programs), request.cache_folder,
                                     {.label = best.label,
                                      .kernel = best.kernels.front().name,
                                      .candidate = choice.index,
                                      .typical_us = choice.typical_us,
                                      .image = cell->program().kernels.front().image});
      if (!kept) {
        origin.notes.push_back(fmt::format("the choice could not be kept for the next run: {}: {}",
                                           kept.error().where, kept.error().what));
      }
    }
    STROBE_TRY_VOID(cell->adopt(std::move(origin), request.flush));
    return cell;
  }

  static std::string key_of(const CudaDevice& device, const PrepareRequest& request,
                            const std::vector<KernelProgram>& programs) {
    const TuneState state = request.flush == "hot" ? TuneState::kHot : TuneState::kCold;
    return tune_key(machine_of(device), request.cell.shape, request.cell.dtype, state, programs);
  }

  std::optional<TuneEntry> winner(const std::string& key, const std::string& folder) const {
    if (const auto known = winners_.find(key); known != winners_.end()) return known->second;
    if (folder.empty()) return {};
    return TuneCache(folder).find(key);
  }

  Result<void> keep(const std::string& key, const std::string& folder, TuneEntry entry) {
    const TuneEntry& kept = winners_.insert_or_assign(key, std::move(entry)).first->second;
    if (folder.empty()) return {};
    return TuneCache(folder).store(key, kept);
  }

  CandidateMaker maker_;
  // A cell that is prepared twice in one process, to be checked and to be timed, is the same
  // program both times, also where no folder keeps anything.
  std::map<std::string, TuneEntry> winners_;
};

}  // namespace

std::unique_ptr<Provider> make_fused_provider(CandidateMaker maker, OpenSession open) {
  return std::make_unique<FusedProvider>(std::move(maker), std::move(open));
}

}  // namespace strobe::bench
