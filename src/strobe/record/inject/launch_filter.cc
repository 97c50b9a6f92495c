#include "strobe/record/inject/launch_filter.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace strobe::record {

NamePattern::~NamePattern() {
  if (is_set_) regfree(&pattern_);
}

bool NamePattern::set(const std::string& text) noexcept {
  if (text.empty()) return true;
  is_set_ = regcomp(&pattern_, text.c_str(), REG_EXTENDED | REG_NOSUB) == 0;
  return is_set_;
}

bool NamePattern::matches(const char* mangled_name) noexcept {
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

namespace {

constexpr double kShortNs = 20'000;   // a longer one has enough traffic of its own
constexpr double kAlwaysBehind = 10;  // times as long
constexpr std::uint64_t kOneIn = 16;  // 2 ms per launch on average, as much as recording it

LaunchKind both(LaunchKind first, LaunchKind second) noexcept {
  return first * 0x9e3779b97f4a7c15 + second;
}

}  // namespace

LaunchKind kind_of_launch(std::string_view name,
                          const std::array<std::uint32_t, 3>& grid) noexcept {
  LaunchKind kind = std::hash<std::string_view>()(name);
  for (const std::uint32_t axis : grid) kind = both(kind, axis);
  return kind;
}

bool Isolation::is_due(LaunchKind next) noexcept {
  ++launches_;
  const auto known = pairs_.find(both(previous_, next));
  previous_ = next;
  if (known == pairs_.end()) return false;
  Pair& pair = known->second;
  pair.claim = std::min(1.0, pair.claim + pair.share);
  if (pair.claim < 1 || (set_apart_ + 1) * kOneIn > launches_) return false;
  pair.claim = 0;
  ++set_apart_;
  return true;
}

void Isolation::learn(LaunchKind kind, double duration_ns) noexcept {
  const Learned before = last_;
  last_ = {.kind = kind, .duration_ns = duration_ns};
  if (!(before.duration_ns > 0 && duration_ns > 0)) return;
  const double depth = before.duration_ns / duration_ns / kAlwaysBehind;
  pairs_[both(before.kind, kind)].share = duration_ns > kShortNs ? 0 : std::min(1.0, depth * depth);
}

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
