#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/device/nvml_api.h"
#include "strobe/record/run_manifest.h"
#include "strobe/record/sampler/device_processes.h"
#include "strobe/record/sampler/device_readings.h"
#include "strobe/record/sampler/device_traffic.h"
#include "strobe/record/sampler/pace.h"
#include "strobe/record/sampler/proc_files.h"
#include "strobe/record/sampler/process_owners.h"
#include "strobe/record/sampler/sample_log.h"
#include "strobe/record/sampler/sampled_device.h"

namespace strobe::record {

// The metrics of all devices that NVML shows, at a price of at most 0.5 % of a core: what is
// expensive to ask is asked less often. Used by one thread.
class DeviceSampler {
 public:
  // kMachineLacks if there is no NVML or no device: the recording goes on without.
  static Result<std::unique_ptr<DeviceSampler>> open(ProcessAccess access = {});
  static Result<std::unique_ptr<DeviceSampler>> open(const device::NvmlApi& nvml,
                                                     ProcessAccess access = {},
                                                     CpuClock cpu_clock = thread_cpu_ns);
  ~DeviceSampler();
  DeviceSampler(const DeviceSampler&) = delete;
  DeviceSampler& operator=(const DeviceSampler&) = delete;

  // As they were when the sampler was opened.
  const std::vector<RecordedDevice>& devices() const { return facts_; }
  const std::string& driver_version() const { return driver_version_; }  // "580.95.05"
  const std::string& cuda_version() const { return cuda_version_; }      // "13.0"

  // The recorded processes, or their first ancestors. Other recorders of the same job belong to
  // them: their programs are not foreign.
  void set_own_processes(std::span<const pid_t> processes) { owners_.set_own(processes); }

  // To be called 50 times a second.
  void sample(std::int64_t now_ns, SampleLog& log);

  // What is missing or has happened, as noted in the file: sentences without a full stop.
  const std::vector<std::string>& remarks() const { return remarks_; }
  // Time on a core that all this has taken.
  std::int64_t cpu_ns() const { return cpu_ns_ + pcie_.cpu_ns(); }

 private:
  struct Watched {
    std::vector<DeviceReading> readings;
    LinkTraffic links;
    DeviceProcesses processes;
    bool has_links = true;
    bool has_process_list = true;
    bool has_process_use = true;
  };

  DeviceSampler(const device::NvmlApi& nvml, std::vector<SampledDevice> devices,
                ProcessAccess access, CpuClock cpu_clock);
  void read_facts();
  void register_events();

  void read_all(ReadingRate rate, std::int64_t now_ns, SampleLog& log);
  void sample_links(std::int64_t now_ns, SampleLog& log);
  void sample_process_lists(std::int64_t now_ns, SampleLog& log);
  void sample_process_use(std::int64_t now_ns, SampleLog& log);
  void look_for_hidden_processes(std::int64_t now_ns, SampleLog& log);
  void take_events(std::int64_t now_ns, SampleLog& log);
  void take_event(const device::NvmlEvent& event, std::int64_t now_ns, SampleLog& log);

  // Does it if it is due, and counts its price.
  template <class Work>
  void at(Pace& pace, std::int64_t now_ns, const Work& work);
  // False if the device will never answer this.
  bool judge(device::NvmlAnswer answer, std::size_t device, SampleLog& log);
  void remark(SampleLog& log, wire::NoteWhat what, const std::string& text,
              std::uint64_t count = 0);
  std::size_t index_of(device::NvmlDevice handle) const;

  device::NvmlApi nvml_;
  std::vector<SampledDevice> devices_;
  std::vector<Watched> watched_;  // by device
  std::vector<RecordedDevice> facts_;
  std::string driver_version_;
  std::string cuda_version_;
  ProcessOwners owners_;
  CpuClock cpu_clock_;
  PcieTraffic pcie_;
  device::NvmlEventSet events_ = nullptr;

  Pace fast_;
  Pace middle_;
  Pace slow_;
  Pace rare_;
  Pace lists_;
  Pace use_;
  std::size_t use_turn_ = 0;
  std::int64_t next_search_ns_ = 0;
  std::int64_t search_period_ns_;
  bool was_using_device_ = false;
  bool has_hidden_processes_ = false;
  bool shares_mps_server_ = false;
  std::vector<std::string> remarks_;
  std::int64_t cpu_ns_ = 0;
};

}  // namespace strobe::record
