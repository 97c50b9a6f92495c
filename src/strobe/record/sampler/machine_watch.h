#pragma once

#include <string>
#include <vector>

#include "strobe/record/run_watch.h"

namespace strobe::record {

class HostSource;
class DeviceSource;

// Looks at the machine: its processes 20 times a second, its devices 50 times, and who had to wait
// for a core.
class MachineWatch : public RunWatch {
 public:
  void begin(Sampler& sampler, const Place& place) override;
  void begin_devices(Sampler& sampler, const Place& place) override;

  std::vector<SourceReport> reports() const override;
  std::vector<RecordedDevice> devices() const override { return devices_; }
  std::string driver_version() const override { return driver_version_; }
  std::string cuda_version() const override { return cuda_version_; }

 private:
  void begin_waits(Sampler& sampler, const Place& place);
  SourceReport device_report() const;

  const HostSource* host_ = nullptr;  // both belong to the sampler
  const DeviceSource* devices_source_ = nullptr;
  std::string why_no_devices_;
  SourceReport scheduler_;
  std::vector<RecordedDevice> devices_;
  std::string driver_version_;
  std::string cuda_version_;
};

}  // namespace strobe::record
