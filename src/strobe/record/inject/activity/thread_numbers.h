#pragma once

#include <cstdint>
#include <mutex>
#include <unordered_map>

#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// The threads of this process, numbered as the file of the run numbers them.
class ThreadNumbers {
 public:
  explicit ThreadNumbers(wire::RunFileWriter& file) noexcept : file_(&file) {}

  // Of the calling thread; its first call defines it in the file.
  std::uint64_t mine() noexcept;
  // Of a thread of this process by its id, as the kernel numbers it.
  std::uint64_t of(std::uint64_t thread_id) noexcept;
  // The file numbers threads from 0 again: each is written again before its next row.
  void restart() noexcept;

 private:
  wire::RunFileWriter* file_;
  std::mutex mutex_;
  std::unordered_map<std::uint64_t, std::uint64_t> numbers_;
};

}  // namespace strobe::record
