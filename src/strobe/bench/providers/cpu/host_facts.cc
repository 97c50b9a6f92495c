#include "strobe/bench/providers/cpu/host_facts.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace strobe::bench {
namespace {

constexpr std::int64_t kUnknownCache_bytes = std::int64_t{32} << 20;

std::string content_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return std::move(text).str();
}

// "32768K" as /sys writes it.
std::int64_t size_of(std::string_view text) {
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error != std::errc() || end == text.data() + text.size()) return size;
  if (*end == 'K') return size << 10;
  if (*end == 'M') return size << 20;
  return size;
}

}  // namespace

std::vector<int> usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> processors;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) processors.push_back(cpu);
    }
  }
  if (processors.empty()) processors.push_back(0);
  return processors;
}

std::int64_t last_cache_bytes() {
  std::int64_t largest = 0;
  for (int index = 0; index < 8; ++index) {
    largest = std::max(
        largest,
        size_of(content_of(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index))));
  }
  return largest > 0 ? largest : kUnknownCache_bytes;
}

std::optional<double> available_bytes_in(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemAvailable:";
  const std::size_t at = meminfo.find(kKey);
  if (at == std::string_view::npos) return {};
  std::string_view rest = meminfo.substr(at + kKey.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::int64_t kib = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), kib).ec != std::errc()) return {};
  return static_cast<double>(kib) * 1024;
}

std::optional<double> available_bytes() { return available_bytes_in(content_of("/proc/meminfo")); }

std::string processor_name() {
  std::istringstream lines(content_of("/proc/cpuinfo"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

std::string_view architecture_name() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64";
#endif
}

}  // namespace strobe::bench
