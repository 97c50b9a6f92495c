#include "strobe/bench/providers/cpu/cpu_provider.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "strobe/bench/providers/cpu/host.h"
#include "strobe/bench/providers/cpu/host_buffer.h"
#include "strobe/bench/providers/cpu/program.h"
#include "strobe/bench/providers/provider.h"
#include "strobe/bench/providers/stop_watch.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

// Read or written between two samples, so that the next one finds nothing in the caches.
class HostCacheFlush {
 public:
  static Result<HostCacheFlush> make(FlushKind kind, std::int64_t cache_bytes);

  void run(ThreadTeam& team, const KernelSet& kernels) const;
  double bytes() const { return static_cast<double>(buffer_.bytes()); }

 private:
  FlushKind kind_ = FlushKind::kHot;
  HostBuffer buffer_;
};

class CpuCell final : public PreparedCell {
 public:
  // Allocates and fills; also makes and times the first call.
  static Result<std::unique_ptr<PreparedCell>> make(const CaseInfo& info,
                                                    const PrepareRequest& request, Program program,
                                                    const KernelSet& kernels, ThreadTeam& team,
                                                    std::int64_t cache_bytes);

  Result<void> run() override;
  Result<SampleBlock> sample(const SampleRequest& request) override;
  std::size_t output_count() const override { return program_.outputs.size(); }
  Result<std::vector<float>> output_rows(std::size_t index,
                                         std::span<const std::int64_t> rows) override;
  std::vector<KernelLaunch> kernels() const override;
  CompileTimes compile_times() const override;
  std::map<std::string, std::string> config() const override;
  double resident_bytes() const override { return program_.resident_bytes(); }
  double peak_bytes() const override { return program_.resident_bytes() + flush_.bytes(); }

 private:
  CpuCell(const CaseInfo& info, const PrepareRequest& request, Program program,
          const KernelSet& kernels, ThreadTeam& team)
      : info_(info),
        request_(request),
        program_(std::move(program)),
        kernels_(kernels),
        team_(team) {}

  Result<void> allocate();
  void fill_inputs();
  void poison_outputs();
  void call();

  const CaseInfo& info_;
  PrepareRequest request_;
  Program program_;
  const KernelSet& kernels_;
  ThreadTeam& team_;
  std::vector<HostBuffer> buffers_;
  HostCacheFlush flush_;
  double first_call_ms_ = 0;
};

}  // namespace

Result<HostCacheFlush> HostCacheFlush::make(FlushKind kind, std::int64_t cache_bytes) {
  HostCacheFlush made;
  if (kind == FlushKind::kHot) return made;
  if (kind == FlushKind::kRotate) {
    return Error{
        .code = ErrorCode::kInvalidArgument,
        .what = fmt::format("the cpu provider does not support cache state '{}'", flush_name(kind)),
        .where = "--l2",
        .hint = "one of cold, cold-dirty, hot"};
  }
  STROBE_TRY(made.buffer_, HostBuffer::make(2 * cache_bytes));
  std::memset(made.buffer_.data(), 1, static_cast<std::size_t>(made.buffer_.bytes()));
  made.kind_ = kind;
  return made;
}

void HostCacheFlush::run(ThreadTeam& team, const KernelSet& kernels) const {
  if (kind_ == FlushKind::kHot) return;
  const bool is_read = kind_ == FlushKind::kCold;
  const RowsKernel kernel =
      kernels.kernel(DType::kF32, is_read ? RowsKernelId::kRead : RowsKernelId::kWrite);
  team.share(buffer_.bytes() / 4, 4096, [&](std::int64_t, std::int64_t first, std::int64_t last) {
    float sum = 0;
    RowsTask task;
    task.columns = last - first;
    task.in[0] = buffer_.as<float>() + first;
    task.out[0] = is_read ? &sum : buffer_.as<float>() + first;
    kernel(task, 0, 1);
  });
}

Result<std::unique_ptr<PreparedCell>> CpuCell::make(const CaseInfo& info,
                                                    const PrepareRequest& request, Program program,
                                                    const KernelSet& kernels, ThreadTeam& team,
                                                    std::int64_t cache_bytes) {
  std::unique_ptr<CpuCell> cell(new CpuCell(info, request, std::move(program), kernels, team));
  STROBE_TRY(cell->flush_, HostCacheFlush::make(request.flush, cache_bytes));
  STROBE_TRY_VOID(cell->allocate());
  cell->fill_inputs();
  cell->poison_outputs();
  const StopWatch watch;
  cell->call();
  cell->first_call_ms_ = watch.ms();
  return std::unique_ptr<PreparedCell>(std::move(cell));
}

Result<void> CpuCell::allocate() {
  for (const std::int64_t bytes : program_.buffer_bytes) {
    STROBE_TRY(HostBuffer buffer, HostBuffer::make(bytes));
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

// The threads that will read the memory fill it, so that it is near them.
void CpuCell::fill_inputs() {
  const auto sources = input_sources(info_, request_);
  const DType dtype = request_.cell.dtype;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const HostBuffer& buffer = buffers_[program_.inputs[i]];
    team_.share(buffer.bytes() / bytes_of(dtype), 8192,
                [&](std::int64_t, std::int64_t first, std::int64_t last) {
                  for (std::int64_t at = first; at < last; ++at)
                    write_value(dtype, buffer.data(), at, sources[i](at));
                });
  }
}

// All bits set: a NaN in every type.
void CpuCell::poison_outputs() {
  for (const BufferIndex output : program_.outputs) {
    const HostBuffer& buffer = buffers_[output];
    team_.share(buffer.bytes(), 1 << 16, [&](std::int64_t, std::int64_t first, std::int64_t last) {
      std::memset(buffer.as<char>() + first, 0xFF, static_cast<std::size_t>(last - first));
    });
  }
}

void CpuCell::call() {
  const ProgramContext context{team_, kernels_, buffers_, dropout_key(request_.seed)};
  for (const Step& step : program_.steps) step.run(context);
}

Result<void> CpuCell::run() {
  call();
  return {};
}

Result<SampleBlock> CpuCell::sample(const SampleRequest& request) {
  if (request.mode != TimeMode::kCpu) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = "the cpu provider does not support this mode",
                 .where = "--mode",
                 .hint = "cpu: the host's clock around a call"};
  }
  const ThreadTeam::PinnedCaller pinned(team_);
  SampleBlock block;
  double spent_us = 0;
  for (int i = 0; i < std::max(request.count, 1); ++i) {
    const StopWatch whole;
    flush_.run(team_, kernels_);
    const StopWatch watch;
    call();
    block.samples_us.push_back(watch.us());
    spent_us += whole.us();
    if (spent_us > request.budget_ms * 1000) break;
  }
  return block;
}

Result<std::vector<float>> CpuCell::output_rows(std::size_t index,
                                                std::span<const std::int64_t> rows) {
  const auto layouts = output_layouts(info_, request_.cell.shape);
  if (index >= layouts.size()) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("{} has no output {}", info_.id, index),
                 .where = "",
                 .hint = ""};
  }
  const std::int64_t count = layouts[index].rows;
  const auto missing =
      std::ranges::find_if(rows, [&](std::int64_t row) { return row < 0 || row >= count; });
  if (missing != rows.end()) {
    return Error{.code = ErrorCode::kMalformed,
                 .what = fmt::format("there is no row {} among {}", *missing, count),
                 .where = "",
                 .hint = ""};
  }
  poison_outputs();
  call();
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(layouts[index].columns));
  const void* const tensor = buffers_[program_.outputs[index]].data();
  for (const std::int64_t row : rows) {
    for (std::int64_t column = 0; column < layouts[index].columns; ++column) {
      values.push_back(
          read_value(request_.cell.dtype, tensor, row * layouts[index].columns + column));
    }
  }
  return values;
}

std::vector<KernelLaunch> CpuCell::kernels() const {
  std::vector<KernelLaunch> launches;
  for (const Step& step : program_.steps) {
    launches.push_back(
        {.name = fmt::format("strobe_cpu_{}", step.name), .grid = {team_.size(), 1, 1}});
  }
  return launches;
}

CompileTimes CpuCell::compile_times() const {
  CompileTimes times;
  times.first_call_ms = first_call_ms_;
  return times;
}

std::map<std::string, std::string> CpuCell::config() const {
  return {{"vectors", std::string(kernels_.name)}, {"threads", fmt::format("{}", team_.size())}};
}

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
        .what = fmt::format("'{}' is not a shape of {}", shape_text(cell.shape), cell.case_id),
        .where = "--shape",
        .hint = fmt::format("a shape of this case has {} sizes", axes)};
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
