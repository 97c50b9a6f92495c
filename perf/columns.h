#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "strobe/base/string_pool.h"

// The output of every contestant: the eleven columns of an event, with strobe's own interner, so
// that only the parsing differs.
namespace strobe::perf {

inline constexpr std::int64_t kAbsent = INT64_MIN;

struct EventRow {
  char phase = 0;
  StringId category;
  StringId name;
  std::int64_t process = kAbsent;  // the number, or ~(StringId) of a text
  std::int64_t thread = kAbsent;
  std::int64_t time_ns = kAbsent;
  std::int64_t duration_ns = kAbsent;
  std::int64_t correlation = kAbsent;
  std::int64_t external = kAbsent;
  std::int64_t stream = kAbsent;
  std::int64_t device = kAbsent;
};

struct Columns {
  std::vector<char> phases;
  std::vector<StringId> categories;
  std::vector<StringId> names;
  std::vector<std::int32_t> processes;
  std::vector<std::int32_t> threads;
  std::vector<std::int64_t> times_ns;
  std::vector<std::int64_t> durations_ns;
  std::vector<std::uint32_t> correlations;
  std::vector<std::uint32_t> externals;
  std::vector<std::int32_t> streams;
  std::vector<std::int32_t> devices;
  StringPool strings;

  std::size_t size() const { return phases.size(); }

  void add(const EventRow& row) {
    phases.push_back(row.phase);
    categories.push_back(row.category);
    names.push_back(row.name);
    processes.push_back(static_cast<std::int32_t>(row.process));
    threads.push_back(static_cast<std::int32_t>(row.thread));
    times_ns.push_back(row.time_ns);
    durations_ns.push_back(row.duration_ns);
    correlations.push_back(static_cast<std::uint32_t>(row.correlation));
    externals.push_back(static_cast<std::uint32_t>(row.external));
    streams.push_back(static_cast<std::int32_t>(row.stream));
    devices.push_back(static_cast<std::int32_t>(row.device));
  }
};

// Microseconds with up to three decimals as integer nanoseconds; a double cannot hold a wall clock.
inline std::int64_t nanoseconds_of(std::string_view microseconds) {
  std::int64_t value = 0;
  std::size_t at = 0;
  const bool negative = !microseconds.empty() && microseconds[0] == '-';
  if (negative) ++at;
  for (; at < microseconds.size() && microseconds[at] >= '0' && microseconds[at] <= '9'; ++at) {
    value = value * 10 + (microseconds[at] - '0');
  }
  int decimals = 0;
  if (at < microseconds.size() && microseconds[at] == '.') {
    for (++at; at < microseconds.size() && decimals < 3 && microseconds[at] >= '0' &&
               microseconds[at] <= '9';
         ++at, ++decimals) {
      value = value * 10 + (microseconds[at] - '0');
    }
  }
  for (; decimals < 3; ++decimals) value *= 10;
  return negative ? -value : value;
}

// Sums that do not depend on the order of the rows, over the complete slices (phase X) that have a
// time. strobe's own columns give the same sums, so equal checksums mean equal work.
class Checksum {
 public:
  void add(std::uint64_t name_hash, std::int64_t time_ns, std::int64_t duration_ns) {
    ++slices_;
    sum_ += name_hash + 3 * static_cast<std::uint64_t>(time_ns) +
            5 * static_cast<std::uint64_t>(duration_ns);
  }
  void add_correlation(std::uint32_t id) { sum_ += 7 * std::uint64_t{id}; }
  void add_external(std::uint32_t id) { sum_ += 11 * std::uint64_t{id}; }

  std::uint64_t slices() const { return slices_; }
  std::uint64_t sum() const { return sum_; }

  static std::uint64_t hash_of(std::string_view text) {  // FNV-1a
    std::uint64_t hash = 0xCBF29CE484222325u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    return hash;
  }

 private:
  std::uint64_t slices_ = 0;
  std::uint64_t sum_ = 0;
};

Checksum checksum_of(const Columns& columns);

}  // namespace strobe::perf
