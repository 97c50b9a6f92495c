#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "strobe/readers/dialect.h"

// PyTorch's profiler before Kineto: a bare list of operators without categories. What an operator
// did on a device is a slice of the same name in a process of its own, joined by an arrow.
namespace strobe::readers {
namespace {

constexpr std::string_view kHostProcess = "CPU functions";

// "CUDA functions"
bool is_device_process(std::string_view process) {
  return process.ends_with(" functions") && process != kHostProcess;
}

bool is_autograd_head(const TraceHead& head) {
  return std::find(head.processes.begin(), head.processes.end(), kHostProcess) !=
         head.processes.end();
}

NameRule autograd_name_rule(SliceKind kind, std::string_view category, std::string_view name) {
  return kKinetoDialect.name_rule(kind, category, name);
}

// Each operator has its own slice on the device, also the ones around others: only the innermost
// are work, the others are ranges around them.
void tell_ranges_from_work(TraceBuilder& builder, const FileOrder&, ImportReport&) {
  SliceVectors& slices = builder.slices();
  std::vector<std::uint32_t> works;
  for (std::uint32_t row = 0; row < slices.size(); ++row) {
    if (is_device_work(slices.kinds[row])) works.push_back(row);
  }
  const auto end_of = [&](std::uint32_t row) {
    return slices.starts_ns[row] + slices.durations_ns[row];
  };
  std::stable_sort(works.begin(), works.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (slices.tracks[a] != slices.tracks[b]) return slices.tracks[a] < slices.tracks[b];
    if (slices.starts_ns[a] != slices.starts_ns[b]) {
      return slices.starts_ns[a] < slices.starts_ns[b];
    }
    return slices.durations_ns[a] > slices.durations_ns[b];
  });
  for (std::size_t i = 0; i + 1 < works.size(); ++i) {
    const bool holds_next = slices.tracks[works[i]] == slices.tracks[works[i + 1]] &&
                            slices.starts_ns[works[i + 1]] < end_of(works[i]) &&
                            end_of(works[i + 1]) <= end_of(works[i]);
    if (holds_next) slices.kinds[works[i]] = SliceKind::kDeviceAnnotation;
  }
}

}  // namespace

const Dialect kAutogradDialect = {
    .traits = {.dialect = "autograd",
               .runtime_label = "CudaRuntime",
               .nested_operators_are_phases = true,
               .steps_cover_all_threads = true},
    .recognises = is_autograd_head,
    .category_rule = [](std::string_view) -> CategoryRule {
      return {SliceKind::kOperator, true};
    },
    .name_rule = autograd_name_rule,
    .is_device_process = is_device_process,
    .finish = tell_ranges_from_work,
};

}  // namespace strobe::readers
