#include "strobe/bench/providers/cuda/cuda_provider.h"

#include <utility>

#include <fmt/format.h>

#include "strobe/bench/providers/cuda/limits.h"

namespace strobe::bench {

Result<std::shared_ptr<CudaSession>> CudaProvider::session() {
  if (!session_) {
    STROBE_TRY(session_, open_());
  }
  STROBE_TRY_VOID(session_->device().make_current());
  return session_;
}

ProviderInfo CudaProvider::probe() {
  ProviderInfo info;
  info.name = name_;
  const auto opened = session();
  if (!opened) {
    info.obstacle = what_and_hint(opened.error());
    return info;
  }
  CudaDevice& device = (*opened)->device();
  info.device = device.name();
  const Result<void> compiler = device.has_compiler();
  if (!compiler) {
    info.version = device.driver_text();
    info.obstacle = what_and_hint(compiler.error());
    return info;
  }
  info.version = fmt::format("{}, {}", device.compiler_text(), device.driver_text());
  return info;
}

std::optional<double> CudaProvider::free_bytes() {
  const auto opened = session();
  return opened ? (*opened)->free_bytes() : std::nullopt;
}

Result<Floors> CudaProvider::measure_floors() {
  STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
  STROBE_TRY(DeviceClock* const clock, opened->clock());
  return measure_cuda_floors(*clock);
}

Result<void> CudaProvider::run_empty_counted() {
  STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
  return run_empty_kernels_counted(opened->device());
}

Result<Roofs> CudaProvider::measure_roofs() {
  STROBE_TRY(const std::shared_ptr<CudaSession> opened, session());
  STROBE_TRY(DeviceClock* const clock, opened->clock());
  return measure_cuda_roofs(*clock);
}

std::map<std::string, double> CudaProvider::device_facts() {
  const auto opened = session();
  return opened ? (*opened)->device().facts() : std::map<std::string, double>{};
}

std::string why_not_rows(const CaseInfo* info, const Cell& cell) {
  if (info == nullptr) return fmt::format("there is no case '{}'", cell.case_id);
  if (info->kind != CaseKind::kRows) {
    return "kernels are generated only for cases over rows; use cublaslt, cudnn or a worker";
  }
  if (cell.shape.dims.size() != axes_of(info->kind)) {
    return fmt::format("{} takes rows and columns, not {}", cell.case_id, shape_text(cell.shape));
  }
  return "";
}

}  // namespace strobe::bench
