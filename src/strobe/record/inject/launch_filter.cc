#include "strobe/record/inject/launch_filter.h"

#include <cxxabi.h>

#include <cstdlib>

namespace strobe::record {

LaunchFilter::~LaunchFilter() {
  if (has_pattern_) regfree(&pattern_);
}

bool LaunchFilter::configure(const Settings& settings) noexcept {
  first_ = settings.first_launch;
  last_ = settings.last_launch;
  if (settings.kernel_pattern.empty()) return true;
  has_pattern_ = regcomp(&pattern_, settings.kernel_pattern.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  return has_pattern_;
}

bool LaunchFilter::wants(std::uint64_t index, const char* mangled_name) noexcept {
  return wants_index(index) && (!has_pattern_ || matches(mangled_name));
}

bool LaunchFilter::matches(const char* mangled_name) noexcept {
  const std::string key = mangled_name;
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  int status = 0;
  char* plain = abi::__cxa_demangle(mangled_name, nullptr, nullptr, &status);
  const bool is_match =
      regexec(&pattern_, plain != nullptr ? plain : mangled_name, 0, nullptr, 0) == 0;
  std::free(plain);
  known_.emplace(key, is_match);
  return is_match;
}

}  // namespace strobe::record
