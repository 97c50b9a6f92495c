#include "strobe/bench/providers/cuda/device_cell.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "strobe/bench/reference/half_float.h"
#include "strobe/bench/reference/input_tensors.h"

namespace strobe::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every type, but one that arithmetic never makes

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

}  // namespace

Result<DeviceClock*> DeviceCell::make_timer(FlushKind flush) {
  STROBE_TRY(DeviceClock* const clock, session_->clock(request_.hold));
  TimedCall& call = *this;
  timer_ = std::make_unique<CallTimer>(*clock, call, flush);
  return clock;
}

Result<void> DeviceCell::take_memory() {
  if (memory_) return {};
  STROBE_TRY(PooledMemory memory, session_->memory().take(tensors_.stride_bytes(), "tensors"));
  memory_ = std::make_shared<PooledMemory>(std::move(memory));
  return {};
}

Result<void> DeviceCell::add_sets(std::size_t count, const PooledMemory& memory) {
  STROBE_TRY(InputFill* const fill, session_->input_fill());
  const CaseInfo* const info = find_case(request_.cell.case_id);
  for (std::size_t i = 0; i < count; ++i) {
    const CuPointer base = memory.address() + i * tensors_.stride_bytes();
    const std::size_t set = sets_.size();
    sets_.push_back(base);
    for (const CellTensor& tensor : tensors_.all()) {
      if (tensor.role != CellTensor::Role::kInput) continue;
      STROBE_TRY_VOID(fill->enqueue({.address = base + tensor.offset,
                                     .elements = tensor.elements(),
                                     .number = tensor.number,
                                     .is_far_from_zero = tensor.is_far_from_zero},
                                    request_.cell.dtype,
                                    law_of_input(*info, tensor.number, request_.law), request_.seed,
                                    request_.cell.shape[1]));
    }
    STROBE_TRY_VOID(bind([&](std::string_view name) {
      const CellTensor* const tensor = tensors_.find(name);
      return tensor == nullptr ? CuPointer{0} : base + tensor->offset;
    }));
    STROBE_TRY_VOID(poison(set));
    STROBE_TRY_VOID(prepare_set(set));
  }
  return {};
}

Result<void> DeviceCell::make_sets(std::size_t count) {
  if (count <= sets_.size()) return {};
  const std::size_t missing = count - sets_.size();
  STROBE_TRY(PooledMemory memory,
             session_->memory().take(missing * tensors_.stride_bytes(),
                                     "further sets of tensors to take turns on"));
  more_.push_back(std::move(memory));
  return add_sets(missing, more_.back());
}

Result<void> DeviceCell::run() {
  STROBE_TRY_VOID(session_->device().make_current());
  STROBE_TRY_VOID(enqueue(0));
  return session_->device().synchronize();
}

Result<SampleBlock> DeviceCell::sample(const SampleRequest& request) {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->sample(request);
}

Result<std::vector<ApiCall>> DeviceCell::api_calls() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->record_api_calls();
}

Result<void> DeviceCell::run_counted() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->run_counted();
}

Result<void> DeviceCell::poison(std::size_t set) {
  for (const CellTensor& tensor : tensors_.all()) {
    if (tensor.role != CellTensor::Role::kOutput && tensor.role != CellTensor::Role::kBetween) {
      continue;
    }
    STROBE_TRY_VOID(
        session_->device().fill_bytes(sets_[set] + tensor.offset, kPoison, tensor.bytes));
  }
  return {};
}

Result<void> DeviceCell::poison_sets(std::size_t count) {
  for (std::size_t set = 0; set < count; ++set) STROBE_TRY_VOID(poison(set));
  return {};
}

// Checks the last value of every output: the blocks that write it usually run last.
Result<bool> DeviceCell::is_written(std::size_t set) {
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

Result<std::size_t> DeviceCell::count_written_sets(std::size_t count) {
  std::size_t written = 0;
  for (std::size_t set = 0; set < count; ++set) {
    STROBE_TRY(const bool is_one, is_written(set));
    written += is_one ? 1 : 0;
  }
  return written;
}

Result<std::vector<float>> DeviceCell::output_rows(std::size_t index,
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
    std::size_t end = i + 1;  // contiguous rows are read in one copy
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

std::vector<std::string> DeviceCell::notes() const {
  return timer_ ? timer_->notes() : std::vector<std::string>{};
}

}  // namespace strobe::bench
