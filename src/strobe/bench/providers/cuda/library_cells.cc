#include "strobe/bench/providers/cuda/library_cells.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/library_cell.h"

namespace strobe::bench {
namespace {

std::string text_of(const Error& error) {
  return error.hint.empty() ? error.what : fmt::format("{}; {}", error.what, error.hint);
}

bool takes(LibraryUse use, CaseKind kind) {
  switch (use) {
    case LibraryUse::kCublasLt:
      return kind == CaseKind::kMatmul;
    case LibraryUse::kCudnn:
      return kind == CaseKind::kConvolution || kind == CaseKind::kAttention;
    case LibraryUse::kUnfused:
      return kind != CaseKind::kRows;
  }
  return false;
}

}  // namespace

std::string LibraryCells::why_not(const CaseInfo* info, const Cell& cell) const {
  if (info == nullptr) return fmt::format("there is no case '{}'", cell.case_id);
  if (!takes(use_, info->kind)) {
    return use_ == LibraryUse::kCublasLt ? "cuBLASLt multiplies matrices and does nothing else"
                                         : "cuDNN is asked for convolutions and attention alone";
  }
  if (cell.shape.dims.size() != axes_of(info->kind)) {
    return fmt::format("{} takes {} sizes, not {}", cell.case_id, axes_of(info->kind),
                       shape_text(cell.shape));
  }
  return "";
}

Result<LibraryCall> LibraryCells::build(const std::shared_ptr<CudaSession>& session,
                                        const Cell& cell) {
  const CaseInfo* const info = find_case(cell.case_id);
  if (std::string why = why_not(info, cell); !why.empty()) {
    return Error{.code = ErrorCode::kNotFound, .what = std::move(why), .where = "", .hint = ""};
  }
  const CallRequest request = {
      .info = *info,
      .shape = cell.shape,
      .dtype = cell.dtype,
      .fusion = use_ == LibraryUse::kUnfused ? Fusion::kUnfused : Fusion::kFused};
  const auto start = std::chrono::steady_clock::now();
  Result<LibraryCall> call =
      info->kind == CaseKind::kMatmul        ? matmul_call(session, libraries_, request)
      : info->kind == CaseKind::kConvolution ? convolution_call(session, libraries_, request)
                                             : attention_call(session, libraries_, request);
  if (call) {
    call->build_ms =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }
  return call;
}

Result<Plan> LibraryCells::plan(const std::shared_ptr<CudaSession>& session, const Cell& cell) {
  planned_.reset();
  Plan plan;
  Result<LibraryCall> call = build(session, cell);
  if (!call) {
    if (call.error().code != ErrorCode::kNotFound) return call.error();
    plan.unsupported = text_of(call.error());
    return plan;
  }
  plan.resident_bytes =
      call->buffer_bytes(cell.dtype) + static_cast<double>(call->workspace_bytes());
  plan.kernels = static_cast<int>(call->steps.size());
  planned_.emplace(cell, std::move(*call));
  return plan;
}

Result<std::unique_ptr<PreparedCell>> LibraryCells::prepare(
    const std::shared_ptr<CudaSession>& session, const PrepareRequest& request) {
  if (!planned_ || planned_->first != request.cell) {
    planned_.reset();
    STROBE_TRY(LibraryCall call, build(session, request.cell));
    planned_.emplace(request.cell, std::move(call));
  }
  LibraryCall call = std::move(planned_->second);
  planned_.reset();
  STROBE_TRY(std::unique_ptr<LibraryCell> cell,
             LibraryCell::make(session, request, std::move(call)));
  return std::unique_ptr<PreparedCell>(std::move(cell));
}

}  // namespace strobe::bench
