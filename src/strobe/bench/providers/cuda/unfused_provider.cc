#include <chrono>
#include <utility>

#include "strobe/bench/providers/cuda/cuda_provider.h"
#include "strobe/bench/providers/cuda/library_cells.h"
#include "strobe/bench/providers/cuda/program_cell.h"
#include "strobe/bench/providers/cuda/program_providers.h"

namespace strobe::bench {
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
          .code = ErrorCode::kInvalidArgument, .what = std::move(why), .where = "", .hint = ""};
    }
    STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
    opened->keep_code_in(request.cache_folder);
    const auto start = std::chrono::steady_clock::now();
    STROBE_TRY(const KernelProgram program,
               maker_(*info, request.cell.shape, request.cell.dtype, opened->device().chip()));
    ProgramOrigin origin;
    origin.codegen_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
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
