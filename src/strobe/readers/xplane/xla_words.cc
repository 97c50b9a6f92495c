#include "strobe/readers/xplane/xla_words.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "strobe/base/text.h"

namespace strobe::readers::xla {
namespace {

template <class Words>
bool starts_with_any(std::string_view text, const Words& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.starts_with(word); });
}

}  // namespace

std::optional<DevicePlane> device_plane(std::string_view plane) {
  DevicePlane found;
  if (plane.starts_with("/device:TPU:")) {
    found.type = DeviceType::kTpu;
  } else if (!plane.starts_with("/device:GPU:")) {
    return std::nullopt;
  }
  const std::string_view digits = plane.substr(12);
  if (!std::ranges::all_of(digits, is_digit)) return std::nullopt;
  const auto number = parse_whole_number(digits);
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  found.number = static_cast<std::int32_t>(*number);
  return found;
}

bool is_work_line(DeviceType type, std::string_view line) {
  return type == DeviceType::kTpu ? line == "XLA Ops" : line.starts_with("Stream #");
}

SliceKind work_kind(std::string_view name) {
  const std::string lower_name = lower_case(name.substr(0, 16));
  if (lower_name.starts_with("memset")) return SliceKind::kMemset;
  constexpr std::string_view kCopies[] = {"memcpy", "copydeviceto", "copyhostto", "copypeerto"};
  return starts_with_any(lower_name, kCopies) ? SliceKind::kMemcpy : SliceKind::kKernel;
}

SliceKind host_kind(std::string_view line, std::string_view name) {
  if (name.starts_with('$')) return SliceKind::kPythonCall;
  // What the device's tracing library says about itself.
  constexpr std::string_view kOwnWork[] = {"<UNKNOWN>", "BUFFER_FLUSH", "DRIVER_COMPILER",
                                           "INSTRUMENTATION", "RESOURCE"};
  if (line.starts_with("Host Threads") && starts_with_any(name, kOwnWork)) {
    return SliceKind::kOverhead;
  }
  return SliceKind::kAnnotation;
}

bool is_collective(std::string_view name_or_category) {
  constexpr std::string_view kCollectives[] = {"all-reduce",     "all-gather",  "all-to-all",
                                               "reduce-scatter", "collective-", "ragged-all-to-all",
                                               "send",           "recv"};
  if (!starts_with_any(name_or_category, kCollectives)) return false;
  // "send.3", "recv-done", but no "sender_fusion".
  const std::size_t end = name_or_category.find_first_of(".-");
  const std::string_view word = name_or_category.substr(0, end);
  return word != "sender" && word.find('_') == std::string_view::npos;
}

std::string step_name(std::string_view name, std::int64_t number) {
  return fmt::format("{} {}", name, number);
}

std::string_view runtime_label(DeviceType type, std::string_view vendor) {
  if (type == DeviceType::kTpu) return "TpuRuntime";
  return vendor == "AMD" ? "HipRuntime" : "CudaRuntime";
}

}  // namespace strobe::readers::xla
