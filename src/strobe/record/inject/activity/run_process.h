#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "strobe/record/inject/activity/device_activity.h"
#include "strobe/record/inject/activity/nvtx_ranges.h"
#include "strobe/record/inject/activity/run_settings_reader.h"
#include "strobe/record/inject/activity/thread_numbers.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// This process's part of a run: its file, what is written to it, and the thread that keeps it up to
// date. It lives until the process ends: CUDA and NVTX may call at any time.
class RunProcess {
 public:
  // Made by the first caller; nullptr if no run is recorded, or its file cannot be made. After a
  // fork the child gets its own.
  static RunProcess* of_this_process() noexcept;

  void record_device() noexcept;  // CUDA is about to start
  NvtxRanges& ranges() noexcept { return ranges_; }
  void end() noexcept;            // the process ends
  void end_by_keeper() noexcept;  // the process ends in this moment, without exit handlers

 private:
  explicit RunProcess(const RunSettings& settings) noexcept;

  bool open() noexcept;
  bool open_file() noexcept;
  void start_keeper() noexcept;
  void write_facts() noexcept;
  void tell_fork() noexcept;  // what is lost, if this process is a forked child
  void keep() noexcept;       // the keeper's loop
  void flush(bool is_last) noexcept;
  void finish() noexcept;
  void next_part() noexcept;
  void next_window() noexcept;
  bool restart_in_next_part() noexcept;
  void restart_in_next_segment() noexcept;
  template <class Restart>
  void restart(Restart in_file) noexcept;
  bool is_asked_to_flush() noexcept;
  std::string part_path(std::uint64_t number) const;
  static void abandon_in_child() noexcept;

  RunSettings settings_;
  pid_t process_id_ = 0;
  std::string path_;
  wire::RunFileWriter file_;
  ThreadNumbers threads_;
  DeviceActivity device_;
  NvtxRanges ranges_;
  bool has_device_ = false;

  pthread_t keeper_ = {};
  bool has_keeper_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  bool has_ended_ = false;
  std::atomic<bool> is_leaving_ = false;
  std::atomic<bool> has_left_ = false;

  std::uint64_t part_ = 0;
  std::int64_t part_began_ns_ = 0;
  std::int64_t window_changes_ns_ = 0;  // when the window opens or closes
  bool is_window_open_ = true;
  const std::atomic<std::uint64_t>* control_ = nullptr;  // mapped; nullptr if there is none
  std::uint64_t control_seen_ = 0;
};

}  // namespace strobe::record
