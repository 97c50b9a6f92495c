#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/choose_program.h"
#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/device_program_timer.h"
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
          .code = ErrorCode::kBadCommandLine, .what = std::move(why), .where = "", .hint = ""};
    }
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    ProgramOrigin origin;
    const auto start = std::chrono::steady_clock::now();
    STROBE_TRY(const std::vector<KernelProgram> programs,
               maker_(*info, request.cell.shape, request.cell.dtype, opened->device().chip()));
    origin.codegen_ms = ms_since(start);
    DeviceProgramTimer timer(opened, *info, request);
    std::size_t chosen = 0;
    if (request.may_tune && programs.size() > 1) {
      const auto tuning = std::chrono::steady_clock::now();
      STROBE_TRY(const ProgramChoice choice, choose_program(timer, programs));
      chosen = choice.index;
      origin.autotune_ms = ms_since(tuning);
      origin.config["tuned"] = fmt::format("best of {}", programs.size() - choice.failures.size());
      for (const std::string& failure : choice.failures) {
        origin.notes.push_back("left out while tuning: " + failure);
      }
    }
    STROBE_TRY(std::unique_ptr<ProgramCell> cell, timer.take(programs[chosen]));
    origin.peak_bytes = timer.peak_bytes();
    STROBE_TRY_VOID(cell->adopt(std::move(origin), request.flush));
    return std::unique_ptr<PreparedCell>(std::move(cell));
  }

 private:
  CandidateMaker maker_;
};

}  // namespace

std::unique_ptr<Provider> make_fused_provider(CandidateMaker maker, OpenSession open) {
  return std::make_unique<FusedProvider>(std::move(maker), std::move(open));
}

}  // namespace strobe::bench
