#include "strobe/record/sampler/cgroup_quota.h"

#include <algorithm>
#include <array>

#include "strobe/record/sampler/proc_files.h"

namespace strobe::record {
namespace {

using QuotaBuffer = std::array<char, 4096>;

std::optional<std::int64_t> signed_number_in(const std::string& file) {
  QuotaBuffer buffer;
  auto text = read_once(file.c_str(), buffer);
  if (!text) return std::nullopt;
  const bool is_negative = text->starts_with('-');
  if (is_negative) text->remove_prefix(1);
  const auto number = take_number(*text);
  if (!number) return std::nullopt;
  return is_negative ? -static_cast<std::int64_t>(*number) : static_cast<std::int64_t>(*number);
}

// "throttled_usec 17" in a file of such lines; 0 if there is none.
std::int64_t counter_in(const std::string& file, std::string_view key) {
  QuotaBuffer buffer;
  const auto text = read_once(file.c_str(), buffer);
  if (!text) return 0;
  std::size_t at = text->starts_with(key) ? 0 : text->find("\n" + std::string(key));
  if (at == std::string_view::npos) return 0;
  if (at > 0) ++at;
  std::string_view rest = text->substr(at + key.size());
  return static_cast<std::int64_t>(take_number(rest).value_or(0));
}

std::optional<std::int64_t> hundredths_of(std::int64_t quota_us, std::int64_t period_us) {
  if (quota_us <= 0 || period_us <= 0) return std::nullopt;
  return (quota_us * 100 + period_us / 2) / period_us;
}

// "cpu.max": "150000 100000", or "max 100000" without a limit.
std::optional<CpuQuota> quota_of_version_2(const std::string& folder) {
  QuotaBuffer buffer;
  auto text = read_once((folder + "/cpu.max").c_str(), buffer);
  if (!text) return std::nullopt;
  const auto quota = take_number(*text);
  const auto period = take_number(*text);
  if (!quota || !period) return std::nullopt;
  const auto cores =
      hundredths_of(static_cast<std::int64_t>(*quota), static_cast<std::int64_t>(*period));
  if (!cores) return std::nullopt;
  return CpuQuota{*cores, counter_in(folder + "/cpu.stat", "throttled_usec ")};
}

std::optional<CpuQuota> quota_of_version_1(const std::string& folder) {
  const auto quota = signed_number_in(folder + "/cpu.cfs_quota_us");
  const auto period = signed_number_in(folder + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  const auto cores = hundredths_of(*quota, *period);
  if (!cores) return std::nullopt;
  return CpuQuota{*cores, counter_in(folder + "/cpu.stat", "throttled_time ") / 1000};
}

// The group and those around it, from the innermost to the root of the mount.
template <class QuotaOfFolder>
void keep_tightest(const std::string& mount, std::string_view group, QuotaOfFolder quota_of_folder,
                   std::optional<CpuQuota>& tightest) {
  while (true) {
    while (group.ends_with('/')) group.remove_suffix(1);
    const auto quota = quota_of_folder(mount + std::string(group));
    if (quota && (!tightest || quota->hundredths_of_core < tightest->hundredths_of_core)) {
      tightest = quota;
    }
    if (group.empty()) return;
    const std::size_t slash = group.rfind('/');
    group = group.substr(0, slash == std::string_view::npos ? 0 : slash);
  }
}

bool has_controller(std::string_view controllers, std::string_view wanted) {
  while (!controllers.empty()) {
    const std::size_t comma = std::min(controllers.find(','), controllers.size());
    if (controllers.substr(0, comma) == wanted) return true;
    controllers.remove_prefix(std::min(comma + 1, controllers.size()));
  }
  return false;
}

// A line of /proc/<pid>/cgroup: "4:cpu,cpuacct:/docker/1f". That of version 2 names no controllers:
// "0::/docker/1f".
struct GroupLine {
  std::string_view controllers;
  std::string_view group;
};

std::optional<GroupLine> parse_group_line(std::string_view line) {
  const std::size_t first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  return GroupLine{line.substr(first + 1, second - first - 1), line.substr(second + 1)};
}

}  // namespace

std::optional<CpuQuota> CgroupQuota::of(std::string_view groups) const {
  std::optional<CpuQuota> tightest;
  while (!groups.empty()) {
    const std::size_t end = std::min(groups.find('\n'), groups.size());
    const auto line = parse_group_line(groups.substr(0, end));
    groups.remove_prefix(std::min(end + 1, groups.size()));
    if (!line) continue;
    if (line->controllers.empty()) {
      keep_tightest(root_, line->group, quota_of_version_2, tightest);
      keep_tightest(root_ + "/unified", line->group, quota_of_version_2, tightest);
    } else if (has_controller(line->controllers, "cpu")) {
      keep_tightest(root_ + "/cpu", line->group, quota_of_version_1, tightest);
      keep_tightest(root_ + "/cpu,cpuacct", line->group, quota_of_version_1, tightest);
    }
  }
  return tightest;
}

}  // namespace strobe::record
