#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "strobe/record/run_folder.h"
#include "strobe/record/run_manifest.h"
#include "strobe/record/sampler/host_file.h"
#include "strobe/record/sampler/sampler.h"

namespace strobe::record {

// What of a running program can be seen from outside: the recorder does not know who looks.
class RunWatch {
 public:
  RunWatch() = default;
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;
  virtual ~RunWatch() = default;

  struct Place {
    pid_t root = 0;              // the recorded program
    bool strobe_adopts = false;  // its orphans become children of strobe
    bool redact = false;
    HostFile& file;
    MachineLock& machine;  // only the recorder that holds it samples devices and the machine
    // Recorders of other ranks of this job on this machine: their programs are not foreign.
    std::function<std::vector<pid_t>()> other_recorders = {};
  };

  // Before the program's first instruction: must be quick.
  virtual void begin(Sampler& sampler, const Place& place) = 0;
  // While the program starts: may take a second.
  virtual void begin_devices(Sampler& sampler, const Place& place) = 0;

  // device_metrics, host, scheduler. Not while a source looks.
  virtual std::vector<SourceReport> reports() const = 0;
  virtual std::vector<RecordedDevice> devices() const = 0;
  virtual std::string driver_version() const = 0;  // "" if not known
  virtual std::string cuda_version() const = 0;
};

}  // namespace strobe::record
