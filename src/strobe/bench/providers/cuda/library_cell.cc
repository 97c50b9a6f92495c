#include "strobe/bench/providers/cuda/library_cell.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/bench/providers/cuda/captured_kernels.h"
#include "strobe/bench/reference/half_float.h"

namespace strobe::bench {
namespace {

constexpr unsigned char kPoison = 0xFF;  // NaN in every type, and no NaN that arithmetic makes
constexpr std::size_t kAlignment = 256;

class StopWatch {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_)
        .count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void append_as_f32(const std::vector<char>& bytes, DType dtype, std::vector<float>& out) {
  const auto each = static_cast<std::size_t>(bytes_of(dtype));
  for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
    if (dtype == DType::kF32) {
      float value = 0;
      std::memcpy(&value, bytes.data() + at, sizeof value);
      out.push_back(value);
      continue;
    }
    std::uint16_t half = 0;
    std::memcpy(&half, bytes.data() + at, sizeof half);
    out.push_back(dtype == DType::kF16 ? f16_value(half) : bf16_value(half));
  }
}

}  // namespace

LibraryCell::LibraryCell(std::shared_ptr<CudaSession> session, const PrepareRequest& request,
                         LibraryCall call)
    : session_(std::move(session)), request_(request), call_(std::move(call)) {
  for (const CallBuffer& buffer : call_.buffers) {
    if (buffer.role == CallBuffer::Role::kOutput) out_ = offsets_.size();
    offsets_.push_back(stride_bytes_);
    stride_bytes_ += (bytes_of_buffer(buffer) + kAlignment - 1) / kAlignment * kAlignment;
  }
}

Result<std::unique_ptr<LibraryCell>> LibraryCell::make(std::shared_ptr<CudaSession> session,
                                                       const PrepareRequest& request,
                                                       LibraryCall call) {
  std::unique_ptr<LibraryCell> cell(new LibraryCell(std::move(session), request, std::move(call)));
  STROBE_TRY_VOID(cell->set_up());
  return cell;
}

std::size_t LibraryCell::bytes_of_buffer(const CallBuffer& buffer) const {
  return static_cast<std::size_t>(buffer.elements() * bytes_of(request_.cell.dtype));
}

CuPointer LibraryCell::address(std::size_t set, std::size_t buffer) const {
  return sets_[set] + offsets_[buffer];
}

Result<void> LibraryCell::set_up() {
  CudaDevice& device = session_->device();
  STROBE_TRY_VOID(device.make_current());
  STROBE_TRY(const FlushKind flush, parse_flush(request_.flush));
  STROBE_TRY(DeviceClock* const clock, session_->clock(request_.hold));
  STROBE_TRY_VOID(load_steps());
  STROBE_TRY(first_, session_->memory().take(stride_bytes_, "tensors"));
  if (const std::size_t bytes = call_.workspace_bytes(); bytes > 0) {
    STROBE_TRY(workspace_, device.allocate(bytes, "a workspace"));
  }
  STROBE_TRY_VOID(add_sets(1, first_));
  STROBE_TRY_VOID(device.synchronize());
  STROBE_TRY_VOID(tune(*clock));
  STROBE_TRY_VOID(run());
  launches_ = captured_kernels(device, [&] { return enqueue(0); });
  if (launches_.empty()) {
    for (const auto& step : call_.steps) {
      std::ranges::move(step->launches(), std::back_inserter(launches_));
    }
  }
  TimedCall& timed = *this;
  timer_ = std::make_unique<CallTimer>(*clock, timed, flush);
  return {};
}

Result<void> LibraryCell::load_steps() {
  const StopWatch watch;
  for (const auto* const steps : {&call_.preparation, &call_.steps}) {
    for (const auto& step : *steps) {
      STROBE_TRY_VOID(step->load(session_->device(), request_.cache_folder));
    }
  }
  times_.load_ms = call_.build_ms + watch.ms();
  return {};
}

// In the order of running, so that each step finds what the one before it left.
Result<void> LibraryCell::tune(DeviceClock& clock) {
  const StopWatch watch;
  bool has_choices = false;
  for (const auto& step : call_.steps) {
    STROBE_TRY(const TunedStep tuned, tune_step(clock, *step, request_.may_tune));
    has_choices = has_choices || step->choices() > 1;
    tuned_.push_back(tuned);
  }
  if (request_.may_tune && has_choices) {
    times_.autotune_ms = watch.ms();
  } else {
    times_.first_call_ms = watch.ms();
  }
  return {};
}

Result<void> LibraryCell::add_sets(std::size_t count, const PooledMemory& memory) {
  for (std::size_t i = 0; i < count; ++i) {
    STROBE_TRY_VOID(add_set(memory.address() + i * stride_bytes_));
  }
  return {};
}

Result<void> LibraryCell::add_set(CuPointer base) {
  STROBE_TRY(InputFill* const fill, session_->input_fill());
  const std::size_t set = sets_.size();
  sets_.push_back(base);
  for (std::size_t i = 0; i < call_.buffers.size(); ++i) {
    const CallBuffer& buffer = call_.buffers[i];
    if (buffer.role != CallBuffer::Role::kInput) continue;
    STROBE_TRY_VOID(fill->enqueue({.address = address(set, i),
                                   .elements = buffer.elements(),
                                   .number = buffer.number,
                                   .is_far_from_zero = buffer.is_far_from_zero},
                                  request_.cell.dtype, request_.law, request_.seed,
                                  request_.cell.shape[1]));
  }
  const auto address_of = [&](std::string_view name) -> CuPointer {
    const auto found = std::ranges::find(call_.buffers, name, &CallBuffer::name);
    STROBE_CHECK(found != call_.buffers.end(), "a step names buffers of its call");
    return address(set, static_cast<std::size_t>(found - call_.buffers.begin()));
  };
  for (const auto* const steps : {&call_.preparation, &call_.steps}) {
    for (const auto& step : *steps) {
      STROBE_TRY_VOID(step->bind(address_of, workspace_.address()));
    }
  }
  STROBE_TRY_VOID(poison(set));
  for (const auto& step : call_.preparation) STROBE_TRY_VOID(step->enqueue(0, set));
  return {};
}

Result<void> LibraryCell::make_sets(std::size_t count) {
  if (count <= sets_.size()) return {};
  const std::size_t missing = count - sets_.size();
  STROBE_TRY(
      PooledMemory memory,
      session_->memory().take(missing * stride_bytes_, "further sets of tensors to take turns on"));
  more_.push_back(std::move(memory));
  return add_sets(missing, more_.back());
}

Result<void> LibraryCell::enqueue(std::size_t set) {
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    STROBE_TRY_VOID(call_.steps[i]->enqueue(tuned_[i].choice, set));
  }
  return {};
}

Result<void> LibraryCell::run() {
  STROBE_TRY_VOID(session_->device().make_current());
  STROBE_TRY_VOID(enqueue(0));
  return session_->device().synchronize();
}

Result<SampleBlock> LibraryCell::sample(const SampleRequest& request) {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->sample(request);
}

Result<std::vector<ApiCall>> LibraryCell::api_calls() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->record_api_calls();
}

Result<void> LibraryCell::run_counted() {
  STROBE_TRY_VOID(session_->device().make_current());
  return timer_->run_counted();
}

Result<void> LibraryCell::poison(std::size_t set) {
  for (std::size_t i = 0; i < call_.buffers.size(); ++i) {
    const CallBuffer& buffer = call_.buffers[i];
    if (buffer.role != CallBuffer::Role::kOutput && buffer.role != CallBuffer::Role::kBetween) {
      continue;
    }
    STROBE_TRY_VOID(
        session_->device().fill_bytes(address(set, i), kPoison, bytes_of_buffer(buffer)));
  }
  return {};
}

Result<void> LibraryCell::poison_sets(std::size_t count) {
  for (std::size_t set = 0; set < count; ++set) STROBE_TRY_VOID(poison(set));
  return {};
}

// By the last value of the output.
Result<std::size_t> LibraryCell::count_written_sets(std::size_t count) {
  const auto value_bytes = static_cast<std::size_t>(bytes_of(request_.cell.dtype));
  const std::size_t last = bytes_of_buffer(call_.buffers[out_]) - value_bytes;
  std::size_t written = 0;
  for (std::size_t set = 0; set < count; ++set) {
    std::array<unsigned char, 4> value = {};
    STROBE_TRY_VOID(
        session_->device().copy_to_host(value.data(), address(set, out_) + last, value_bytes));
    const bool is_poison =
        std::all_of(value.begin(), value.begin() + static_cast<std::ptrdiff_t>(value_bytes),
                    [](unsigned char byte) { return byte == kPoison; });
    written += is_poison ? 0 : 1;
  }
  return written;
}

Result<std::vector<float>> LibraryCell::output_rows(std::size_t index,
                                                    std::span<const std::int64_t> rows) {
  STROBE_CHECK(index == 0, "there is one output");
  const CallBuffer& out = call_.buffers[out_];
  STROBE_TRY_VOID(poison(0));
  STROBE_TRY_VOID(run());
  const auto row_bytes = static_cast<std::size_t>(out.columns * bytes_of(request_.cell.dtype));
  std::vector<float> values;
  values.reserve(rows.size() * static_cast<std::size_t>(out.columns));
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;  // neighbours come in one copy
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    if (rows[i] < 0 || rows[end - 1] >= out.rows) {
      return Error{.code = ErrorCode::kMalformed,
                   .what = fmt::format("there is no row {} among {}",
                                       rows[i] < 0 ? rows[i] : rows[end - 1], out.rows),
                   .where = out.name,
                   .hint = ""};
    }
    std::vector<char> bytes((end - i) * row_bytes);
    STROBE_TRY_VOID(session_->device().copy_to_host(
        bytes.data(), address(0, out_) + static_cast<std::size_t>(rows[i]) * row_bytes,
        bytes.size()));
    append_as_f32(bytes, request_.cell.dtype, values);
    i = end;
  }
  return values;
}

double LibraryCell::resident_bytes() const {
  return call_.buffer_bytes(request_.cell.dtype) + static_cast<double>(workspace_.bytes);
}

std::map<std::string, std::string> LibraryCell::config() const {
  std::map<std::string, std::string> config = {{"math", call_.math}};
  std::size_t number = 0;
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    const std::string text = call_.steps[i]->choice_text(tuned_[i].choice);
    if (text.empty()) continue;
    ++number;
    config[number == 1 ? "schedule" : fmt::format("schedule {}", number)] = text;
  }
  if (workspace_.bytes > 0) config["workspace_bytes"] = std::to_string(workspace_.bytes);
  return config;
}

std::vector<std::string> LibraryCell::notes() const {
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < tuned_.size(); ++i) {
    if (tuned_[i].refused == 0) continue;
    notes.push_back(fmt::format("the library proposed {} ways of step {} that it then did not run",
                                tuned_[i].refused, i + 1));
  }
  for (std::size_t i = 0; i < call_.steps.size(); ++i) {
    const std::size_t unfair = call_.steps[i]->unfair_choices();
    if (unfair == 0) continue;
    notes.push_back(fmt::format(
        "{} of the library's ways of step {} {} not tried: less than f32 in sums, or other bits "
        "each time",
        unfair, i + 1, unfair == 1 ? "was" : "were"));
  }
  if (timer_) std::ranges::move(timer_->notes(), std::back_inserter(notes));
  return notes;
}

}  // namespace strobe::bench
