#include "strobe/bench/providers/cpu/cpu_provider.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "strobe/bench/providers/cpu/cpu_cell.h"
#include "strobe/bench/providers/cpu/host_facts.h"
#include "strobe/bench/providers/cpu/host_roofs.h"
#include "strobe/bench/providers/cpu/program.h"

namespace strobe::bench {
namespace {

std::vector<int> chosen_processors(std::int64_t threads) {
  std::vector<int> processors = usable_processors();
  if (threads > 0 && threads < static_cast<std::int64_t>(processors.size())) {
    processors.resize(static_cast<std::size_t>(threads));
  }
  return processors;
}

Result<const CaseInfo*> case_of(const Cell& cell) {
  const CaseInfo* const info = find_case(cell.case_id);
  if (!info) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("there is no case '{}'", cell.case_id),
                 .where = "--case",
                 .hint = "`strobe bench list` names them"};
  }
  const std::size_t axes = axes_of(info->kind);
  if (cell.shape.dims.size() != axes ||
      std::ranges::any_of(cell.shape.dims, [](auto size) { return size < 1; })) {
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .what = fmt::format("'{}' is no shape of {}", shape_text(cell.shape), cell.case_id),
        .where = "--shape",
        .hint = fmt::format("it has {} sizes", axes)};
  }
  return info;
}

}  // namespace

CpuProvider::CpuProvider(bool is_fused, const KernelSet* kernels, std::int64_t threads)
    : is_fused_(is_fused),
      kernels_(kernels ? *kernels : *kernel_sets().front()),
      team_(chosen_processors(threads)),
      cache_bytes_(last_cache_bytes()) {}

ProviderInfo CpuProvider::probe() {
  return {.name = is_fused_ ? "cpu" : "cpu-unfused",
          .version = processor_name(),
          .device = fmt::format("{} {}, {} thread{}", architecture_name(), kernels_.name,
                                team_.size(), team_.size() == 1 ? "" : "s"),
          .obstacle = ""};
}

Result<Plan> CpuProvider::plan(const Cell& cell) {
  STROBE_TRY(const CaseInfo* const info, case_of(cell));
  const Program program = make_program(
      {*info, cell.shape, cell.dtype, is_fused_, kernels_, team_.size(), cache_bytes_});
  return Plan{program.resident_bytes(), static_cast<int>(program.steps.size()), ""};
}

Result<std::unique_ptr<PreparedCell>> CpuProvider::prepare(const PrepareRequest& request) {
  STROBE_TRY(const CaseInfo* const info, case_of(request.cell));
  Program program = make_program({*info, request.cell.shape, request.cell.dtype, is_fused_,
                                  kernels_, team_.size(), cache_bytes_});
  return CpuCell::make(*info, request, std::move(program), kernels_, team_, cache_bytes_);
}

std::optional<double> CpuProvider::free_bytes() { return available_bytes(); }

Result<Floors> CpuProvider::measure_floors() { return measure_host_floors(team_); }

Result<Roofs> CpuProvider::measure_roofs() {
  return measure_host_roofs(team_, kernels_, cache_bytes_);
}

std::map<std::string, double> CpuProvider::device_facts() {
  return {{"threads", static_cast<double>(team_.size())},
          {"last_cache_bytes", static_cast<double>(cache_bytes_)},
          {"memory_bytes", static_cast<double>(sysconf(_SC_PHYS_PAGES)) *
                               static_cast<double>(sysconf(_SC_PAGESIZE))},
          {"vector_bits", static_cast<double>(kernels_.lanes) * 32}};
}

}  // namespace strobe::bench
