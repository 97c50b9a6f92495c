#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"

// The parts of a flight recorder's files. Each begins with a new segment, so that they can be
// joined by putting one behind the other.
namespace strobe::record {

struct PartedFile {
  std::string name;                          // of the whole: process-17.strobe
  std::vector<std::filesystem::path> parts;  // the oldest first
};

// Those of this recorder and its program, or all in the folder.
std::vector<PartedFile> parted_files(const std::filesystem::path& folder,
                                     std::optional<std::int64_t> recorder = {});

// The fact `recorder` at the beginning of a file or a part; "" if it cannot be read.
std::string recorder_in(const std::filesystem::path& file);

// Writes whole chunks only: the last part may be growing. A part that is removed meanwhile, because
// it became too old, is left out.
Result<void> join_parts(const PartedFile& file, const std::filesystem::path& target);

// Puts the parts one behind the other and removes each that the one before has taken in: that needs
// little room. They become the target, or its end if there is one from an earlier try. What cannot
// be joined stays as parts.
Result<void> join_parts_in_place(const PartedFile& file, const std::filesystem::path& target);

// The process that a file or a part is named after, if it runs and has the newest part open.
std::optional<pid_t> writer_of(const PartedFile& file);

// Waits until every process that still runs has written something after it was asked to, and is
// done with it, but not longer than this.
class PartsWatch {
 public:
  explicit PartsWatch(const std::filesystem::path& folder);  // before they are asked
  void wait(std::chrono::milliseconds most);

 private:
  struct State {
    std::string name;
    std::uint64_t bytes;
    std::size_t parts;
    bool operator==(const State&) const = default;
  };
  std::vector<State> look() const;

  std::filesystem::path folder_;
  std::vector<State> before_;
};

// Removes the parts of this recorder's processes that have ended, once nothing in them is newer
// than this: their own library cannot do it any more.
void remove_forgotten_parts(const std::filesystem::path& folder, std::int64_t recorder,
                            std::chrono::milliseconds keep);

}  // namespace strobe::record
