#include "strobe/bench/providers/cuda/program_cell.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/bench/providers/stop_watch.h"
#include "strobe/bench/reference/dropout.h"

namespace strobe::bench {
namespace {

constexpr double kAsGoodAsLeast = 1.005;

}  // namespace

ProgramCell::ProgramCell(std::shared_ptr<CudaSession> session, const CaseInfo& info,
                         const PrepareRequest& request, const KernelProgram& program,
                         ProgramOrigin origin)
    : DeviceCell(std::move(session), request,
                 CellTensors(info, request.cell.shape, request.cell.dtype, program.between)),
      label_(program.label),
      moved_of_least_(program.moved_bytes /
                      costs_of(info, request.cell.shape, request.cell.dtype).min_bytes),
      origin_(std::move(origin)) {}

Result<std::unique_ptr<ProgramCell>> ProgramCell::make(
    std::shared_ptr<CudaSession> session, const CaseInfo& info, const PrepareRequest& request,
    const KernelProgram& program, const CodeOf& code_of, ProgramOrigin origin) {
  std::unique_ptr<ProgramCell> cell(
      new ProgramCell(std::move(session), info, request, program, std::move(origin)));
  STROBE_TRY_VOID(cell->set_up(program, code_of));
  return cell;
}

Result<std::unique_ptr<ProgramCell>> ProgramCell::make_in(std::shared_ptr<PooledMemory> memory,
                                                          std::shared_ptr<CudaSession> session,
                                                          const CaseInfo& info,
                                                          const PrepareRequest& request,
                                                          const KernelProgram& program,
                                                          const CodeOf& code_of) {
  std::unique_ptr<ProgramCell> cell(
      new ProgramCell(std::move(session), info, request, program, {}));
  STROBE_CHECK(memory->bytes() >= cell->tensors_.stride_bytes(), "shared memory has room for all");
  cell->memory_ = std::move(memory);
  STROBE_TRY_VOID(cell->set_up(program, code_of));
  return cell;
}

std::size_t ProgramCell::bytes_for(const CaseInfo& info, const Cell& cell,
                                   const KernelProgram& program) {
  return CellTensors(info, cell.shape, cell.dtype, program.between).stride_bytes();
}

Result<void> ProgramCell::adopt(ProgramOrigin origin, FlushKind flush) {
  STROBE_TRY_VOID(make_timer(flush));
  origin_ = std::move(origin);
  take_times();
  return {};
}

void ProgramCell::take_times() {
  times_.codegen_ms = origin_.codegen_ms;
  times_.autotune_ms = origin_.autotune_ms;
  times_.nvrtc_ms = origin_.nvrtc_ms;
  if (!times_.nvrtc_ms && !program_.is_cached) times_.nvrtc_ms = program_.compile_ms;
  times_.load_ms = origin_.find_ms + program_.load_ms;
  times_.is_cached = program_.is_cached;
}

Result<void> ProgramCell::set_up(const KernelProgram& program, const CodeOf& code_of) {
  CudaDevice& device = session_->device();
  STROBE_TRY_VOID(device.make_current());
  STROBE_TRY_VOID(make_timer(request_.flush));
  STROBE_TRY(program_, load_program(device, program, code_of));
  give_dropout_key();
  take_times();
  STROBE_TRY_VOID(take_memory());
  // Shared memory may have room for more, see DeviceProgramTimer.
  STROBE_TRY_VOID(add_sets(
      std::min(memory_->bytes() / tensors_.stride_bytes(), CallTimer::places_for(set_bytes())),
      *memory_));
  STROBE_TRY_VOID(device.synchronize());
  const StopWatch start;
  STROBE_TRY_VOID(run());
  times_.first_call_ms = start.ms();
  return {};
}

void ProgramCell::give_dropout_key() {
  for (ProgramKernel& kernel : program_.kernels) {
    for (KernelArgument& argument : kernel.arguments) {
      if (argument.kind != KernelArgument::Kind::kDropoutKey) continue;
      argument.kind = KernelArgument::Kind::kInt64;
      argument.integer = dropout_key(request_.seed);  // the low half of it is read
    }
  }
}

Result<void> ProgramCell::bind(const AddressOf& address_of) {
  STROBE_TRY(BoundProgram bound, BoundProgram::make(program_, address_of));
  bound_.push_back(std::move(bound));
  return {};
}

Result<void> ProgramCell::enqueue(std::size_t set) {
  return bound_[set].enqueue(session_->device(), program_);
}

std::map<std::string, std::string> ProgramCell::config() const {
  std::map<std::string, std::string> config = origin_.config;
  config["schedule"] = label_;
  if (moved_of_least_ > kAsGoodAsLeast) {
    config["moves"] = fmt::format("{:.2f} times the least bytes", moved_of_least_);
  }
  return config;
}

double ProgramCell::peak_bytes() const {
  return std::max(static_cast<double>(tensors_.stride_bytes()), origin_.peak_bytes);
}

std::vector<std::string> ProgramCell::notes() const {
  std::vector<std::string> notes = origin_.notes;
  if (!program_.not_kept.empty()) {
    notes.push_back("compiled code could not be kept for the next run: " + program_.not_kept);
  }
  std::ranges::move(DeviceCell::notes(), std::back_inserter(notes));
  for (const ProgramKernel& kernel : program_.kernels) {
    if (kernel.kernel.local_bytes > 0) {
      notes.push_back(fmt::format("{} uses {} bytes of local memory per thread", kernel.kernel.name,
                                  kernel.kernel.local_bytes));
    }
  }
  return notes;
}

}  // namespace strobe::bench
