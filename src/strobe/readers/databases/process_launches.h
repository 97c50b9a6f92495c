#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "strobe/trace/import_report.h"
#include "strobe/trace/tables.h"

namespace strobe::readers {

// Correlations that each process counts for itself, as the numbers of a trace, which are unique in
// it.
class ProcessLaunches {
 public:
  explicit ProcessLaunches(ImportReport& report) : report_(report) {}

  // Of a call. Every one is noted before the first number is asked for. Returns the correlation as
  // it stands in the file, or kNoLaunchId.
  std::uint32_t note_call(std::uint64_t process, std::int64_t correlation);
  void number_processes();
  bool are_as_in_file() const { return spans_.size() < 2; }

  // kNoLaunchId for 0, for a process whose calls are not there, and for what has no room in 32
  // bits, which is reported. `process` is 0 where the file does not say which one it is.
  std::uint32_t of(std::uint64_t process, std::int64_t correlation);

 private:
  struct Span {
    std::int64_t low = kNoLaunchId;  // of its calls
    std::int64_t high = 0;
    std::int64_t offset = 0;
  };
  Span* find(std::uint64_t process);
  std::uint32_t checked(std::int64_t correlation);

  static constexpr std::size_t kNone = ~std::size_t{0};

  ImportReport& report_;
  std::vector<Span> spans_;
  std::unordered_map<std::uint64_t, std::size_t> by_process_;
  std::uint64_t latest_ = 0;  // with its span, if that is there
  std::size_t latest_span_ = kNone;
};

}  // namespace strobe::readers
