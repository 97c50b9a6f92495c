#pragma once

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "strobe/record/sampler/scheduler_waits.h"
#include "tests/unit/record/sampler/host_folder.h"

namespace strobe::record {

// A kernel that a test plays: its events are files in memory with rings in them.
class PlayedKernel {
 public:
  explicit PlayedKernel(int error_for_cores = 0, int error_for_threads = 0)
      : error_for_cores_(error_for_cores), error_for_threads_(error_for_threads) {}
  PlayedKernel(const PlayedKernel&) = delete;
  PlayedKernel& operator=(const PlayedKernel&) = delete;
  ~PlayedKernel() {
    for (const auto& [event, memory] : rings_) munmap(memory, kRingBytes);
  }

  HostFolder host;

  SchedulerWaitsOptions options() {
    SchedulerWaitsOptions options;
    options.host = host.access();
    options.root = 10;
    options.cores = {0, 1};
    options.open_event = [this](perf_event_attr&, pid_t thread, int core) {
      return open_event(thread, core);
    };
    return options;
  }
  bool is_open(pid_t thread, int core) const { return rings_.contains({thread, core}); }

  // As the event of the whole core sees it; -1: as that of the thread.
  struct Switch {
    std::int64_t time_ns = 0;
    pid_t process = 0;
    pid_t thread = 0;
    pid_t other = 0;
    std::uint16_t misc = 0;
  };
  void put(int core, const Switch& record) {
    const auto time = static_cast<std::uint64_t>(record.time_ns);
    put_words({-1, core}, PERF_RECORD_SWITCH_CPU_WIDE, record.misc,
              {word(record.other), word(record.other), word(record.process), word(record.thread),
               static_cast<std::uint32_t>(time), static_cast<std::uint32_t>(time >> 32),
               static_cast<std::uint32_t>(core), 0});
  }
  void put_of_thread(const Switch& record) {
    const auto time = static_cast<std::uint64_t>(record.time_ns);
    put_words({record.thread, -1}, PERF_RECORD_SWITCH, record.misc,
              {word(record.process), word(record.thread), static_cast<std::uint32_t>(time),
               static_cast<std::uint32_t>(time >> 32), 0, 0});
  }
  void put_losses(pid_t thread, int core, std::uint32_t count) {
    put_words({thread, core}, PERF_RECORD_LOST, 0, {1, 0, count, 0});
  }

 private:
  using EventKey = std::pair<pid_t, int>;
  static constexpr std::size_t kRingBytes = 2 << 20;

  static std::uint32_t word(pid_t number) { return static_cast<std::uint32_t>(number); }

  int open_event(pid_t thread, int core) {
    const int error = core >= 0 ? error_for_cores_ : error_for_threads_;
    if (error != 0) return -error;
    const int file = memfd_create("ring", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, kRingBytes) != 0) return -ENOMEM;
    rings_[{thread, core}] = mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return file;
  }

  // Far from the end of the ring: other tests go around it.
  void put_words(const EventKey& event, std::uint32_t type, std::uint16_t misc,
                 const std::vector<std::uint32_t>& words) {
    auto* const control = static_cast<perf_event_mmap_page*>(rings_.at(event));
    auto* const data = static_cast<std::byte*>(rings_.at(event)) + page_bytes_of_this_machine();
    const perf_event_header header = {
        type, misc, static_cast<std::uint16_t>(sizeof(perf_event_header) + words.size() * 4)};
    std::memcpy(data + control->data_head, &header, sizeof header);
    std::memcpy(data + control->data_head + sizeof header, words.data(), words.size() * 4);
    control->data_head += header.size;
  }

  int error_for_cores_;
  int error_for_threads_;
  std::map<EventKey, void*> rings_;
};

}  // namespace strobe::record
