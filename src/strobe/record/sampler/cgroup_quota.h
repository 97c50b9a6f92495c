#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace strobe::record {

// How much time on cores a group of processes gets, and how long it was stopped for want of it.
struct CpuQuota {
  std::int64_t hundredths_of_core = 0;
  std::int64_t throttled_us = 0;  // so far, summed over cores

  bool operator==(const CpuQuota&) const = default;
};

// The control groups of this machine, of version 2 or 1 or both.
class CgroupQuota {
 public:
  explicit CgroupQuota(std::string root) : root_(std::move(root)) {}

  // The tightest limit that holds for a process; `groups` is the text of its /proc/<pid>/cgroup.
  // Limits of outer groups hold, too. In a container, the names of outer groups may lead nowhere:
  // the root of the mount is then the container's own group.
  std::optional<CpuQuota> of(std::string_view groups) const;

 private:
  std::string root_;
};

}  // namespace strobe::record
