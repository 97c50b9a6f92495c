#include "strobe/bench/providers/cuda/device_program_timer.h"

#include <algorithm>
#include <utility>

namespace strobe::bench {
namespace {

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
  if (request_.flush != "hot") request_.flush = "cold";
}

Result<ProgramCell*> DeviceProgramTimer::cell_of(const KernelProgram& program) {
  const std::string key = key_of(program);
  if (const auto known = cells_.find(key); known != cells_.end()) return known->second.get();
  const std::size_t bytes = ProgramCell::bytes_for(info_, request_.cell, program);
  if (!memory_ || memory_->bytes() < bytes) {
    cells_.clear();  // they lie in the memory that is too small
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

}  // namespace strobe::bench
