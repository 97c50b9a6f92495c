#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/record/run_watch.h"
#include "strobe/record/sampler/device_sampler.h"
#include "strobe/record/sampler/scheduler_waits.h"

namespace strobe::record {

class HostSource;
class DeviceSource;
class WaitsSource;

// Looks at the machine: its processes 20 times a second, its devices 50 times, and who had to wait
// for a core.
class MachineWatch : public RunWatch {
 public:
  using OpenDevices = std::function<Result<std::unique_ptr<DeviceSampler>>(const ProcessAccess&)>;

  // `waits`: how waits for a core are found; the program is filled in. `open_devices`: none: those
  // of this machine.
  explicit MachineWatch(SchedulerWaitsOptions waits = {}, OpenDevices open_devices = {})
      : waits_options_(std::move(waits)), open_devices_(std::move(open_devices)) {}

  void begin(Sampler& sampler, const Place& place) override;
  void begin_devices(Sampler& sampler, const Place& place) override;

  std::vector<SourceReport> reports() const override;
  std::vector<RecordedDevice> devices() const override { return devices_; }
  std::string driver_version() const override { return driver_version_; }
  std::string cuda_version() const override { return cuda_version_; }

 private:
  void begin_waits(Sampler& sampler, const Place& place);
  SourceReport device_report() const;
  SourceReport scheduler_report() const;

  SchedulerWaitsOptions waits_options_;
  OpenDevices open_devices_;
  const HostSource* host_ = nullptr;  // all three belong to the sampler
  const DeviceSource* devices_source_ = nullptr;
  const WaitsSource* waits_source_ = nullptr;
  std::string why_no_devices_;
  std::string why_no_waits_;
  std::vector<RecordedDevice> devices_;
  std::string driver_version_;
  std::string cuda_version_;
};

}  // namespace strobe::record
