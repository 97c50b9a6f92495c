#include "strobe/bench/providers/cuda/program_providers.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/cases/case_info.h"
#include "strobe/bench/providers/codegen/tune_cache.h"
#include "strobe/bench/providers/codegen/tuner.h"
#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/library_providers.h"
#include "strobe/bench/providers/cuda/loaded_program.h"
#include "strobe/bench/providers/cuda/program_cell.h"
#include "strobe/bench/providers/cuda/session.h"
#include "strobe/bench/providers/stop_watch.h"

namespace strobe::bench {
namespace {

// Times programs of one cell on the GPU, all in the same memory. A timed program stays loaded:
// timing it again costs only its calls.
class DeviceProgramTimer final : public ProgramTimer {
 public:
  // `request` is the cell to be tuned; its cache is cold here, unless hot is required.
  DeviceProgramTimer(std::shared_ptr<CudaSession> session, const CaseInfo& info,
                     PrepareRequest request, CodeOf code_of);

  Result<std::vector<double>> time(const KernelProgram& program, int samples) override;
  bool is_lost() const override { return session_->device().is_lost(); }

  // For one place, as a program would have it.
  double peak_bytes() const { return peak_bytes_; }
  // The cell of a program, created if it was never timed; removes it from the timer.
  Result<std::unique_ptr<ProgramCell>> take(const KernelProgram& program);

 private:
  Result<ProgramCell*> cell_of(const KernelProgram& program);

  std::shared_ptr<CudaSession> session_;
  const CaseInfo& info_;
  PrepareRequest request_;
  CodeOf code_of_;
  std::shared_ptr<PooledMemory> memory_;
  double peak_bytes_ = 0;
  std::map<std::string, std::unique_ptr<ProgramCell>> cells_;
};

// Two candidates may share a label and differ in a constant.
std::string key_of(const KernelProgram& program) {
  std::string key = program.label;
  for (const GeneratedKernel& kernel : program.kernels) {
    key += '\n';
    for (const auto& dims : {kernel.grid, kernel.block}) {
      for (const std::uint32_t dim : dims) key += std::to_string(dim) + ' ';
    }
    key += kernel.source;
  }
  return key;
}

}  // namespace

DeviceProgramTimer::DeviceProgramTimer(std::shared_ptr<CudaSession> session, const CaseInfo& info,
                                       PrepareRequest request, CodeOf code_of)
    : session_(std::move(session)),
      info_(info),
      request_(std::move(request)),
      code_of_(std::move(code_of)) {
  if (request_.flush != FlushKind::kHot) request_.flush = FlushKind::kCold;
}

Result<ProgramCell*> DeviceProgramTimer::cell_of(const KernelProgram& program) {
  const std::string key = key_of(program);
  if (const auto known = cells_.find(key); known != cells_.end()) return known->second.get();
  const std::size_t bytes = ProgramCell::bytes_for(info_, request_.cell, program);
  if (!memory_ || memory_->bytes() < bytes) {
    cells_.clear();  // they are in the memory that is too small
    memory_.reset();
    const std::size_t places = CallTimer::places_for(static_cast<double>(bytes));
    Result<PooledMemory> memory = session_->memory().take(bytes * places, "tensors");
    if (!memory && places > 1) memory = session_->memory().take(bytes, "tensors");
    if (!memory) return memory.error();
    memory_ = std::make_shared<PooledMemory>(std::move(*memory));
  }
  peak_bytes_ = std::max(peak_bytes_, static_cast<double>(bytes));
  STROBE_TRY(std::unique_ptr<ProgramCell> cell,
             ProgramCell::make_in(memory_, session_, info_, request_, program, code_of_));
  return cells_.emplace(key, std::move(cell)).first->second.get();
}

Result<std::vector<double>> DeviceProgramTimer::time(const KernelProgram& program, int samples) {
  STROBE_TRY(ProgramCell* const cell, cell_of(program));
  STROBE_TRY(SampleBlock block, cell->sample({.mode = TimeMode::kDevice, .count = samples}));
  return std::move(block.samples_us);
}

Result<std::unique_ptr<ProgramCell>> DeviceProgramTimer::take(const KernelProgram& program) {
  STROBE_TRY_VOID(cell_of(program));
  auto node = cells_.extract(key_of(program));
  return std::move(node.mapped());
}

namespace {

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
          .code = ErrorCode::kUnsupported, .what = std::move(why), .where = "", .hint = ""};
    }
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    opened->keep_code_in(request.cache_folder);
    ProgramOrigin origin;
    const StopWatch start;
    STROBE_TRY(const std::vector<KernelProgram> programs,
               maker_(*info, request.cell.shape, request.cell.dtype, opened->device().chip()));
    origin.codegen_ms = start.ms();
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

  // The program known to be the best; if unknown, they are timed, or the first one is used.
  MadeCell best_of(const std::vector<KernelProgram>& programs,
                   const std::shared_ptr<CudaSession>& opened, const CaseInfo& info,
                   const PrepareRequest& request, ProgramOrigin origin) {
    CudaDevice& device = opened->device();
    const StopWatch start;
    const std::optional<TuneEntry> entry =
        winner(key_of(device, request, programs), request.cache_folder);
    const std::optional<std::size_t> known =
        entry ? find_candidate(*entry, programs) : std::nullopt;
    if (known) {
      ProgramOrigin kept = origin;
      kept.find_ms = start.ms();
      kept.config["tuned"] = fmt::format("earlier, at {:.2f} us", entry->typical_us);
      const CodeOf found = [&](const GeneratedKernel&) -> Result<KernelCode> {
        return KernelCode{.image = entry->image, .is_cached = true, .not_kept = ""};
      };
      MadeCell cell =
          ProgramCell::make(opened, info, request, programs[*known], found, std::move(kept));
      const bool is_final =
          cell || device.is_lost() || cell.error().code == ErrorCode::kOutOfMemory;
      if (is_final) return cell;
      origin.notes.push_back("the cached kernel could not be used: " + cell.error().what);
    }
    return request.may_tune ? tuned(programs, opened, info, request, std::move(origin))
                            : first_of(programs, opened, info, request, std::move(origin));
  }

  MadeCell tuned(const std::vector<KernelProgram>& programs,
                 const std::shared_ptr<CudaSession>& opened, const CaseInfo& info,
                 const PrepareRequest& request, ProgramOrigin origin) {
    CudaDevice& device = opened->device();
    const StopWatch compiling;
    const CandidateCode code(device, programs);
    origin.nvrtc_ms = compiling.ms();
    const StopWatch timing;
    DeviceProgramTimer timer(opened, info, request,
                             [&](const GeneratedKernel& kernel) { return code.of(kernel); });
    STROBE_TRY(const Tuned choice, tune(timer, programs));
    STROBE_TRY(std::unique_ptr<ProgramCell> cell, timer.take(programs[choice.index]));
    origin.autotune_ms = timing.ms();
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
    // A program of several kernels is not stored: the next process tunes it again.
    if (best.kernels.size() == 1) {
      // The key is computed again: the compiler, now open, may differ from what its file name says.
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
    const TuneState state = request.flush == FlushKind::kHot ? TuneState::kHot : TuneState::kCold;
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
  // A cell that is prepared twice in one process, once to check and once to time it, uses the same
  // program both times, even without a cache folder.
  std::map<std::string, TuneEntry> winners_;
};

}  // namespace

std::unique_ptr<Provider> make_fused_provider(CandidateMaker maker, OpenSession open) {
  return std::make_unique<FusedProvider>(std::move(maker), std::move(open));
}

namespace {

class UnfusedProvider final : public CudaProvider {
 public:
  UnfusedProvider(UnfusedMaker maker, OpenSession open, LibraryOpeners libraries)
      : CudaProvider("cuda-unfused", std::move(open)),
        maker_(std::move(maker)),
        library_cells_(LibraryUse::kUnfused, std::move(libraries)) {}

  Result<Plan> plan(const Cell& cell) override {
    const CaseInfo* const info = find_case(cell.case_id);
    if (is_for_library(info)) {
      STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
      return library_cells_.plan(opened, cell);
    }
    Plan plan;
    plan.unsupported = why_not_rows(info, cell);
    if (!plan.unsupported.empty()) return plan;
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    const Result<KernelProgram> program =
        maker_(*info, cell.shape, cell.dtype, opened->device().chip());
    if (!program) {
      plan.unsupported = program.error().what;
      return plan;
    }
    plan.resident_bytes = static_cast<double>(ProgramCell::bytes_for(*info, cell, *program));
    plan.kernels = static_cast<int>(program->kernels.size());
    return plan;
  }

  Result<std::unique_ptr<PreparedCell>> prepare(const PrepareRequest& request) override {
    const CaseInfo* const info = find_case(request.cell.case_id);
    if (is_for_library(info)) {
      STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
      return library_cells_.prepare(opened, request);
    }
    if (std::string why = why_not_rows(info, request.cell); !why.empty()) {
      return Error{
          .code = ErrorCode::kUnsupported, .what = std::move(why), .where = "", .hint = ""};
    }
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    opened->keep_code_in(request.cache_folder);
    const StopWatch start;
    STROBE_TRY(const KernelProgram program,
               maker_(*info, request.cell.shape, request.cell.dtype, opened->device().chip()));
    ProgramOrigin origin;
    origin.codegen_ms = start.ms();
    STROBE_TRY(
        std::unique_ptr<ProgramCell> cell,
        ProgramCell::make(opened, *info, request, program,
                          code_in(opened->device(), request.cache_folder), std::move(origin)));
    return std::unique_ptr<PreparedCell>(std::move(cell));
  }

 private:
  static bool is_for_library(const CaseInfo* info) {
    return info != nullptr && info->kind != CaseKind::kRows;
  }

  UnfusedMaker maker_;
  LibraryCells library_cells_;
};

}  // namespace

std::unique_ptr<Provider> make_unfused_provider(UnfusedMaker maker, OpenSession open,
                                                LibraryOpeners libraries) {
  return std::make_unique<UnfusedProvider>(std::move(maker), std::move(open), std::move(libraries));
}

}  // namespace strobe::bench
