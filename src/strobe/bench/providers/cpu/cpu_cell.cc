#include "strobe/bench/providers/cpu/cpu_cell.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "strobe/bench/providers/cpu/typed_values.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/input_tensors.h"
#include "strobe/bench/reference/reference.h"

namespace strobe::bench {
namespace {

using Clock = std::chrono::steady_clock;

double microseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

Result<CacheFlush> CacheFlush::make(std::string_view flush, std::int64_t cache_bytes) {
  CacheFlush made;
  if (flush == "hot") return made;
  if (flush != "cold" && flush != "cold-dirty") {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("the cpu provider has no cache state '{}'", flush),
                 .where = "--l2",
                 .hint = "one of cold, cold-dirty, hot"};
  }
  STROBE_TRY(made.buffer_, HostBuffer::make(2 * cache_bytes));
  std::memset(made.buffer_.data(), 1, static_cast<std::size_t>(made.buffer_.bytes()));
  made.kind_ = flush == "cold" ? Kind::kRead : Kind::kWrite;
  return made;
}

void CacheFlush::run(ThreadTeam& team, const KernelSet& kernels) const {
  if (kind_ == Kind::kNone) return;
  const bool is_read = kind_ == Kind::kRead;
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
  STROBE_TRY(cell->flush_, CacheFlush::make(request.flush, cache_bytes));
  STROBE_TRY_VOID(cell->allocate());
  cell->fill_inputs();
  cell->poison_outputs();
  const auto start = Clock::now();
  cell->call();
  cell->first_call_ms_ = microseconds(Clock::now() - start) / 1000;
  return std::unique_ptr<PreparedCell>(std::move(cell));
}

Result<void> CpuCell::allocate() {
  for (const std::int64_t bytes : program_.buffer_bytes) {
    STROBE_TRY(HostBuffer buffer, HostBuffer::make(bytes));
    buffers_.push_back(std::move(buffer));
  }
  return {};
}

// By the threads that will read: their memory is then near them.
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
                 .what = "the cpu provider has no such time",
                 .where = "--mode",
                 .hint = "cpu: the host's clock around a call"};
  }
  const ThreadTeam::PinnedCaller pinned(team_);
  SampleBlock block;
  double spent_us = 0;
  for (int i = 0; i < std::max(request.count, 1); ++i) {
    const auto begin = Clock::now();
    flush_.run(team_, kernels_);
    const auto start = Clock::now();
    call();
    const auto end = Clock::now();
    block.samples_us.push_back(microseconds(end - start));
    spent_us += microseconds(end - begin);
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

}  // namespace strobe::bench
