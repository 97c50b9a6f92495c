#include "perf/contest.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>

namespace strobe::perf {

double cpu_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

std::uint64_t peak_memory_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::strtoull(line.c_str() + 6, nullptr, 10) * 1024;
  }
  return 0;
}

void print(const Outcome& outcome) {
  const double megabytes = static_cast<double>(outcome.json_bytes) / 1e6;
  const double peak = static_cast<double>(peak_memory_bytes());
  std::printf(
      "{\"contestant\": \"%s\", \"mb_per_s\": %.1f, \"seconds\": %.6f, "
      "\"cpu_seconds\": %.6f, \"events\": %llu, "
      "\"slices\": %llu, \"checksum\": \"%016llx\", \"peak_mb\": %.1f, \"peak_ratio\": %.4f",
      outcome.contestant.c_str(), megabytes / outcome.seconds, outcome.seconds, outcome.cpu_seconds,
      static_cast<unsigned long long>(outcome.events),
      static_cast<unsigned long long>(outcome.checksum.slices()),
      static_cast<unsigned long long>(outcome.checksum.sum()), peak / 1e6,
      peak / static_cast<double>(outcome.json_bytes));
  for (const auto& [key, value] : outcome.extra) std::printf(", \"%s\": %.6f", key.c_str(), value);
  std::printf("}\n");
}

std::string read_whole_file(const char* path) {
  std::FILE* file = std::fopen(path, "rb");
  if (file == nullptr) {
    std::perror(path);
    std::exit(3);
  }
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  if (std::fread(text.data(), 1, text.size(), file) != text.size()) {
    std::perror(path);
    std::exit(3);
  }
  std::fclose(file);
  return text;
}

}  // namespace strobe::perf
