#include "strobe/bench/providers/cuda/program_cell.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/bench/reference/dropout.h"
#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every type, and no NaN that arithmetic makes

void append_as_f32(const std::vector<char>& bytes, DType dtype, std::vector<float>& out) {
  const std::size_t count = bytes.size() / static_cast<std::size_t>(bytes_of(dtype));
  const std::size_t first = out.size();
  out.resize(first + count);
  if (dtype == DType::kF32) {
    std::memcpy(out.data() + first, bytes.data(), bytes.size());
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + 2 * i, sizeof half);
    out[first + i] = dtype == DType::kF16 ? f16_value(half) : bf16_value(half);
  }
}

constexpr double kAsGoodAsLeast = 1.005;

}  // namespace

ProgramCell::ProgramCell(std::shared_ptr<CudaSession> session, const CaseInfo& info,
                         const PrepareRequest& request, const KernelProgram& program,
                         ProgramOrigin origin)
    : session_(std::move(session)),
      request_(request),
      label_(program.label),
      moved_of_least_(program.moved_bytes /
                      costs_of(info, request.cell.shape, request.cell.dtype).min_bytes),
      origin_(std::move(origin)),
      tensors_(info, request.cell.shape, request.cell.dtype, program.between) {}

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
  cell->first_ = std::move(memory);
  STROBE_TRY_VOID(cell->set_up(program, code_of));
  return cell;
}

std::size_t ProgramCell::bytes_for(const CaseInfo& info, const Cell& cell,
                                   const KernelProgram& program) {
  return CellTensors(info, cell.shape, cell.dtype, program.between).stride_bytes();
}

Result<void> ProgramCell::adopt(ProgramOrigin origin, std::string_view flush) {
  STROBE_TRY(const FlushKind kind, parse_flush(flush));
  STROBE_TRY(DeviceClock* const clock, session_->clock(request_.hold));
  origin_ = std::move(origin);
  take_times();
  TimedCall& call = *this;
  timer_ = std::make_unique<CallTimer>(*clock, call, kind);
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
  STROBE_TRY(const FlushKind flush, parse_flush(request_.flush));
  STROBE_TRY(DeviceClock* const clock, session_->clock(request_.hold));
  STROBE_TRY(program_, load_program(device, program, code_of));
  give_dropout_key();
  take_times();
  if (!first_) {
    STROBE_TRY(PooledMemory memory, session_->memory().take(tensors_.stride_bytes(), "tensors"));
    first_ = std::make_shared<PooledMemory>(std::move(memory));
  }
  // Shared memory may have room for more, see DeviceProgramTimer.
  STROBE_TRY_VOID(add_sets(
      std::min(first_->bytes() / tensors_.stride_bytes(), CallTimer::places_for(set_bytes())),
      *first_));
  STROBE_TRY_VOID(device.synchronize());
  const auto start = std::chrono::steady_clock::now();
  STROBE_TRY_VOID(run());
  times_.first_call_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  TimedCall& call = *this;
  timer_ = std::make_unique<CallTimer>(*clock, call, flush);
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

// The next sets, one after the other in that memory, with the same inputs in each.
Result<void> ProgramCell::add_sets(std::size_t count, const PooledMemory& memory) {
  STROBE_TRY(InputFill* const fill, session_->input_fill());
  const CaseInfo* const info = find_case(request_.cell.case_id);
  const std::vector<InputTensor> inputs = input_tensors(*info, request_.cell.shape);
  for (std::size_t i = 0; i < count; ++i) {
    const CuPointer base = memory.address() + i * tensors_.stride_bytes();
    for (const CellTensor& tensor : tensors_.all()) {
      if (tensor.role != CellTensor::Role::kInput) continue;
      STROBE_TRY_VOID(fill->enqueue({.address = base + tensor.offset,
                                     .elements = tensor.elements(),
                                     .number = tensor.number,
                                     .is_far_from_zero = inputs[tensor.number].is_far_from_zero},
                                    request_.cell.dtype,
                                    law_of_input(*info, tensor.number, request_.law), request_.seed,
                                    request_.cell.shape[1]));
    }
    STROBE_TRY(BoundProgram bound, BoundProgram::make(program_, [&](std::string_view name) {
                 const CellTensor* const tensor = tensors_.find(name);
                 return tensor == nullptr ? CuPointer{0} : base + tensor->offset;
               }));
    sets_.push_back(base);
    bound_.push_back(std::move(bound));
    STROBE_TRY_VOID(poison(sets_.size() - 1));
  }
  return {};
}

Result<void> ProgramCell::make_sets(std::size_t count) {
  if (count <= sets_.size()) return {};
  const std::size_t missing = count - sets_.size();
  STROBE_TRY(PooledMemory memory,
             session_->memory().take(missing * tensors_.stride_bytes(),
                                     "further sets of tensors to take turns on"));
  more_.push_back(std::move(memory));
  return add_sets(missing, more_.back());
}

Result<void> ProgramCell::enqueue(std::size_t set) {
  return bound_[set].enqueue(session_->device(), program_);
}

Result<void> ProgramCell::run() {
  STROBE_TRY_VOID(enqueue(0));
  return session_->device().synchronize();
}

Result<SampleBlock> ProgramCell::sample(const SampleRequest& request) {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->sample(request);
}

Result<std::vector<ApiCall>> ProgramCell::api_calls() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->record_api_calls();
}

Result<void> ProgramCell::run_counted() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->run_counted();
}

Result<void> ProgramCell::poison(std::size_t set) {
  for (const CellTensor& tensor : tensors_.all()) {
    if (tensor.role == CellTensor::Role::kInput) continue;
    STROBE_TRY_VOID(
        session_->device().fill_bytes(sets_[set] + tensor.offset, kPoison, tensor.bytes));
  }
  return {};
}

Result<void> ProgramCell::poison_sets(std::size_t count) {
  for (std::size_t set = 0; set < count; ++set) STROBE_TRY_VOID(poison(set));
  return {};
}

// The last value of every output: blocks that write it run last, if any do.
Result<bool> ProgramCell::is_written(std::size_t set) {
  const auto value_bytes = static_cast<std::size_t>(bytes_of(request_.cell.dtype));
  for (std::size_t i = 0; i < tensors_.output_count(); ++i) {
    const CellTensor& tensor = tensors_.output(i);
    std::array<unsigned char, 4> value = {};
    STROBE_TRY_VOID(session_->device().copy_to_host(
        value.data(), sets_[set] + tensor.offset + tensor.bytes - value_bytes, value_bytes));
    const auto end = value.begin() + static_cast<std::ptrdiff_t>(value_bytes);
    if (std::all_of(value.begin(), end, [](unsigned char byte) { return byte == kPoison; })) {
      return false;
    }
  }
  return true;
}

Result<std::size_t> ProgramCell::count_written_sets(std::size_t count) {
  std::size_t written = 0;
  for (std::size_t set = 0; set < count; ++set) {
    STROBE_TRY(const bool is_one, is_written(set));
    written += is_one ? 1 : 0;
  }
  return written;
}

Result<std::vector<float>> ProgramCell::output_rows(std::size_t index,
                                                    std::span<const std::int64_t> rows) {
  CudaDevice& device = session_->device();
  STROBE_TRY_VOID(device.make_current());
  STROBE_TRY_VOID(poison(0));
  STROBE_TRY_VOID(run());
  const CellTensor& tensor = tensors_.output(index);
  const std::size_t row_bytes =
      static_cast<std::size_t>(tensor.columns * bytes_of(request_.cell.dtype));
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(tensor.columns));
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;  // neighbours come in one copy
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (rows[i] < 0 || rows[end - 1] >= tensor.rows) {
      return Error{.code = ErrorCode::kMalformed,
                   .what = fmt::format("there is no row {} among {}",
                                       rows[i] < 0 ? rows[i] : rows[end - 1], tensor.rows),
                   .where = tensor.name,
                   .hint = ""};
    }
    std::vector<char> bytes((end - i) * row_bytes);
    STROBE_TRY_VOID(device.copy_to_host(
        bytes.data(), sets_[0] + tensor.offset + static_cast<std::size_t>(rows[i]) * row_bytes,
        bytes.size()));
    append_as_f32(bytes, request_.cell.dtype, values);
    i = end;
  }
  return values;
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
  if (timer_) std::ranges::move(timer_->notes(), std::back_inserter(notes));
  for (const ProgramKernel& kernel : program_.kernels) {
    if (kernel.kernel.local_bytes > 0) {
      notes.push_back(fmt::format("{} keeps {} bytes a thread in local memory", kernel.kernel.name,
                                  kernel.kernel.local_bytes));
    }
  }
  return notes;
}

}  // namespace strobe::bench
