#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "strobe/record/inject/activity/activity_api.h"
#include "strobe/record/inject/activity/activity_rows.h"
#include "strobe/record/inject/activity/buffer_pool.h"
#include "strobe/record/inject/activity/call_log.h"
#include "strobe/record/inject/activity/run_settings_reader.h"
#include "strobe/record/inject/activity/thread_numbers.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// What the process does with its GPUs: CUPTI's records of device work, and the calls that start it.
class DeviceActivity {
 public:
  DeviceActivity(wire::RunFileWriter& file, ThreadNumbers& threads,
                 const RunSettings& settings) noexcept;

  // Finds CUPTI and starts to listen; false if that is not possible, with the reason in the file.
  bool attach() noexcept;
  // CUPTI gives a process its speed back only if it is finalized, which it allows while a call
  // ends: the next call of the program that we hear does it.
  void detach_at_next_call() noexcept { is_leaving_ = is_attached_.load(); }
  // Takes that back; false if it has detached.
  bool stay() noexcept;
  void end() noexcept;  // the process ends, or is a forked child: nothing is heard any more
  // Writes again what a file must tell of CUPTI, at the start of another file.
  void tell_again() noexcept;

  // Everything that has ended becomes rows; with `is_last` also what CUPTI still holds back.
  void flush(bool is_last) noexcept;
  // Between these two nobody adds rows: the file can start again from 0.
  void hold() noexcept;
  void release_restarted() noexcept;

  // From CUPTI.
  void heard(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) noexcept;
  std::uint8_t* buffer_wanted() noexcept { return pool_.take(); }
  void buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                        std::size_t bytes) noexcept;

 private:
  bool load() noexcept;
  bool listen_to_device() noexcept;
  void tell(wire::NoteWhat what, const std::string& text) noexcept;
  void write_facts() noexcept;
  bool subscribe() noexcept;
  bool enable(CUpti_ActivityKind kind, const char* what, bool is_needed) noexcept;
  void detach() noexcept;
  void collect(bool is_last) noexcept;
  void describe_new_devices() noexcept;

  wire::RunFileWriter* file_;
  const RunSettings* settings_;
  ActivityApi api_;
  DriverApi driver_;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  BufferPool pool_;
  ActivityRows rows_;
  CallLog calls_;
  bool is_loaded_ = false;
  std::mutex cupti_mutex_;  // held while CUPTI starts, hands out its buffers, or ends
  std::atomic<bool> is_attached_ = false;
  std::atomic<bool> is_leaving_ = false;
  std::atomic<std::uint64_t> dropped_ = 0;  // records, since the last note
  std::set<std::uint32_t> described_;
  std::vector<std::pair<wire::NoteWhat, std::string>> told_;
};

}  // namespace strobe::record
