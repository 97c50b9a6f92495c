#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/wire/kernel_recording.h"

namespace strobe::record {

// One process's section, written to a file. The header is shared memory over the beginning of the
// file, so that its counts survive if the process is killed. Safe from several threads.
class RecordingWriter {
 public:
  RecordingWriter() = default;
  RecordingWriter(const RecordingWriter&) = delete;
  RecordingWriter& operator=(const RecordingWriter&) = delete;

  // False if the file cannot be created; the other calls then do nothing.
  bool open(const std::string& path) noexcept;
  bool is_open() const noexcept { return descriptor_ >= 0; }
  wire::SectionHeader& header() noexcept { return *header_; }

  void metric(std::string_view name) noexcept;
  void device(const wire::DeviceRecord& device) noexcept;
  void launch(const wire::LaunchRecord& launch, std::string_view name,
              std::span<const double> values) noexcept;
  void obstacle(wire::Obstacle what, std::string_view text, int result = 0,
                std::uint64_t launches_lost = 0, bool is_fatal = false) noexcept;
  // Makes everything written since the last flush part of the section.
  void flush() noexcept;
  void finish() noexcept;

 private:
  void append(wire::RecordKind kind, std::span<const std::string_view> parts) noexcept;
  void flush_locked() noexcept;

  std::mutex mutex_;
  int descriptor_ = -1;
  wire::SectionHeader own_header_ = {};  // until the file is open, or if it never is
  wire::SectionHeader* header_ = &own_header_;
  std::vector<char> pending_;
  std::uint32_t obstacles_ = 0;
};

// Adds to one of the header's counts; safe from several threads.
void count(std::uint64_t& counter, std::uint64_t by = 1) noexcept;

// During its lifetime the header names the current call.
class Inside {
 public:
  Inside(RecordingWriter& writer, const char* call) noexcept;
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  RecordingWriter* writer_;
};

}  // namespace strobe::record
