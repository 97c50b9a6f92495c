#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "strobe/device/nvml_api.h"
#include "strobe/record/sampler/process_owners.h"
#include "strobe/record/sampler/sample_log.h"
#include "strobe/record/sampler/sampled_device.h"

namespace strobe::record {

// The processes on one device: how many are foreign, how much memory they hold, and how much of the
// device they and the recorded ones use. What cannot be known is not written.
class DeviceProcesses {
 public:
  // `start_unix_us`: use before it does not count.
  DeviceProcesses(unsigned device, std::uint64_t memory_bytes, std::uint64_t start_unix_us);

  // Who is there.
  device::NvmlAnswer sample_list(const device::NvmlApi& nvml, device::NvmlDevice handle,
                                 std::int64_t now_ns, ProcessOwners& owners, SampleLog& log);
  // How much they have used the device since the last time. Takes 2 ms.
  device::NvmlAnswer sample_use(const device::NvmlApi& nvml, device::NvmlDevice handle,
                                std::int64_t now_ns, std::uint64_t now_unix_us,
                                ProcessOwners& owners, SampleLog& log);

  // How often in a row all numbers with the use of the device were unknown here.
  int strange_answers() const { return strange_answers_; }
  // Work of recorded processes may run in a server that others use, too.
  bool shares_mps_server() const { return shares_mps_server_; }

 private:
  struct Shares {
    std::int64_t own = 0;
    std::map<std::string, std::int64_t> foreign;  // by name
    bool is_complete = true;                      // all use is own or foreign
    bool has_strange_number = false;
  };

  bool is_foreign(Owner owner, pid_t process, ProcessOwners& owners) const;
  void look_for_mps(const device::NvmlApi& nvml, device::NvmlDevice handle, ProcessOwners& owners);
  void write_list(std::int64_t now_ns, ProcessOwners& owners, SampleLog& log);
  Shares shares_of(std::span<const device::NvmlProcessUtilization> samples, ProcessOwners& owners);
  void write_use(const Shares& shares, std::int64_t now_ns, const ProcessOwners& owners,
                 SampleLog& log);

  unsigned device_;
  std::uint64_t memory_bytes_;
  std::uint64_t since_us_;
  std::map<pid_t, unsigned long long> listed_;  // with their bytes
  bool is_list_known_ = false;
  bool has_graphics_list_ = true;
  bool had_foreign_ = false;
  bool shares_mps_server_ = false;
  int strange_answers_ = 0;
  std::vector<device::NvmlProcess> list_room_;
  std::vector<device::NvmlProcessUtilization> use_room_;
  std::set<std::string> foreign_users_;  // the last time
};

}  // namespace strobe::record
