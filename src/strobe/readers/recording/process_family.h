#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "strobe/readers/recording/recorded_file.h"

namespace strobe::readers {

// The processes of a recorded run, as strobe saw them from outside.
class ProcessFamily {
 public:
  // Adds what a file of samples lists.
  void add(const RecordedFile& samples);

  // A process with its descendants, without those that have a trace of their own and theirs.
  std::set<std::int64_t> with_descendants(std::int64_t process,
                                          const std::set<std::int64_t>& with_traces) const;

  const std::map<std::int64_t, std::string>& names() const { return names_; }

 private:
  std::multimap<std::int64_t, std::int64_t> children_;
  std::map<std::int64_t, std::string> names_;
};

}  // namespace strobe::readers
