#pragma once

#include <cupti.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "strobe/record/inject/activity/activity_api.h"
#include "strobe/record/inject/activity/call_names.h"
#include "strobe/record/inject/activity/thread_numbers.h"
#include "strobe/wire/run_file_writer.h"

namespace strobe::record {

// The calls that a program makes into CUDA, from CUPTI's callbacks: two readings of the clock and
// one row each. CUPTI's own records of calls cost four times as much, because they cannot be
// limited to the calls that matter.
class CallLog {
 public:
  CallLog(wire::RunFileWriter& file, ThreadNumbers& threads) noexcept
      : file_(&file), threads_(&threads) {}

  // Listens to the calls of the set; the result of the first call that failed.
  CUptiResult listen(const ActivityApi& api, CUpti_SubscriberHandle subscriber,
                     CallSet set) noexcept;
  // From the callback, in the thread that makes the call. True if an outermost call has ended.
  bool heard(CUpti_CallbackDomain domain, CUpti_CallbackId id,
             const CUpti_CallbackData& data) noexcept;
  void write() noexcept;
  // Between these two no thread adds a row: the file can start again from 0.
  void hold() noexcept;
  void release_restarted() noexcept;

 private:
  struct ThreadLog;
  struct OfThread;
  struct Name {
    static constexpr std::uint64_t kNotInFile = ~std::uint64_t{0};
    std::string plain;
    std::atomic<std::uint64_t> text = kNotInFile;
  };
  ThreadLog& make_log(OfThread& mine) noexcept;
  static void thread_ends(void* its_log) noexcept;
  std::uint64_t text_of(CUpti_CallbackDomain domain, CUpti_CallbackId id) noexcept;
  void note_allocation(CUpti_CallbackDomain domain, CUpti_CallbackId id,
                       const CUpti_CallbackData& data, std::int64_t time_ns,
                       ThreadLog& log) noexcept;

  wire::RunFileWriter* file_;
  ThreadNumbers* threads_;
  decltype(ActivityApi::cuptiGetDeviceId) get_device_ = nullptr;
  std::vector<Name> names_[2];  // by id, of the driver's and of the runtime's calls
  std::mutex logs_mutex_;
  std::vector<std::shared_ptr<ThreadLog>> logs_;
  std::atomic<std::uint32_t> round_ = 1;       // of the file's numbers
  std::atomic<std::uint32_t> attachment_ = 0;  // how often it has begun to listen
};

}  // namespace strobe::record
