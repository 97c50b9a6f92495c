#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "strobe/readers/recording/recorded_file.h"
#include "strobe/readers/trace_sink.h"

// What was sampled beside a program, as counters, and what happened to it, as conditions.
namespace strobe::readers {

// The part of a file of samples that belongs to a trace.
struct WantedSamples {
  std::optional<std::set<std::int64_t>> processes;        // all if there is no set
  std::map<std::int32_t, std::int32_t> devices_by_index;  // the trace's number by the file's
  bool keeps_device_numbers = true;                       // if the map is not used

  bool wants_process(std::int64_t process) const {
    return !processes || processes->contains(process);
  }
  // Nothing if the trace has nothing to do with the device.
  std::optional<std::int32_t> device(std::int32_t index) const;
};

// Both return false if loading was cancelled.
bool add_samples(const RecordedFile& file, const WantedSamples& wanted, TraceSink& sink);
bool add_core_waits(const RecordedFile& file, const WantedSamples& wanted, TraceSink& sink);

}  // namespace strobe::readers
