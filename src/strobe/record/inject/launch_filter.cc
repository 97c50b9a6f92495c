#include "strobe/record/inject/launch_filter.h"

namespace strobe::record {

std::string LaunchFilter::configure(const Settings& settings) noexcept {
  first_ = settings.first_launch;
  last_ = settings.last_launch;
  if (!kernels_.set(settings.kernel_pattern)) return settings.kernel_pattern;
  if (!isolated_.set(settings.isolated_pattern)) return settings.isolated_pattern;
  return "";
}

bool LaunchFilter::wants(std::uint64_t index, const char* mangled_name) noexcept {
  return wants_index(index) && (!kernels_.is_set() || kernels_.matches(mangled_name));
}

bool LaunchFilter::isolates(const char* mangled_name) noexcept {
  return isolated_.is_set() && isolated_.matches(mangled_name);
}

}  // namespace strobe::record
