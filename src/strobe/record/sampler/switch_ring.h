#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

// Context switches as the kernel writes them into a ring of memory that it shares with this
// process.
namespace strobe::record {

// A thread leaves a core or gets one.
struct SwitchRecord {
  std::int64_t time_ns = 0;
  std::uint32_t core = 0;
  pid_t process = 0;
  pid_t thread = 0;
  pid_t other_process = 0;  // who comes next, or was there before; -1 if not known
  bool is_out = false;
  bool is_ready = false;  // it leaves although it could go on
};

// What the kernel is asked to write down about a switch. SwitchRing reads records of this form
// only.
perf_event_attr switch_event_attributes();

// A ring in shared memory: its first page has the positions, the others the records.
class SwitchRing {
 public:
  // Both stay the caller's.
  SwitchRing(perf_event_mmap_page* control, std::span<const std::byte> data)
      : control_(control), data_(data) {}

  // Adds all records that are there, oldest first, and makes room for others. Returns how many the
  // kernel had to drop since the last time.
  std::uint64_t take(std::vector<SwitchRecord>& records);

 private:
  // A record may end at the start of the ring: it is then put together in `joined`.
  std::span<const std::byte> bytes_at(std::uint64_t position, std::size_t size,
                                      std::vector<std::byte>& joined) const;

  perf_event_mmap_page* control_;
  std::span<const std::byte> data_;
};

}  // namespace strobe::record
