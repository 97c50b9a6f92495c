#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>

#include "strobe/base/result.h"

namespace strobe::record {

// The file by which strobe asks every recorded process to write out what it has: a number that
// strobe increments and that all of them map into their memory.
class ControlFile {
 public:
  // Makes the file, or joins the one that another recorder has made.
  static Result<ControlFile> open(const std::filesystem::path& folder);
  ControlFile(ControlFile&& other) noexcept;
  ControlFile& operator=(ControlFile&&) = delete;
  ~ControlFile();

  void ask() const;
  std::uint64_t requests() const;  // of all recorders so far

 private:
  ControlFile(int descriptor, std::atomic<std::uint64_t>* number)
      : descriptor_(descriptor), number_(number) {}

  int descriptor_;  // stays open: `strobe record dump` finds the folder by it
  std::atomic<std::uint64_t>* number_;
};

}  // namespace strobe::record
