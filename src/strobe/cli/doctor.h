#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"
#include "strobe/device/probe.h"
#include "strobe/record/run_manifest.h"

namespace strobe::cli {

// Something that strobe can use.
struct Part {
  std::string key;   // stable, for tools: "cuda_driver"
  std::string name;  // for people
  std::optional<device::Found> found;
  std::string needed_for;
  std::string how_to_get;  // shown only if it is missing
};

struct PartGroup {
  std::string title;
  std::vector<Part> parts;
};

// Something that `strobe record` records, and whether it could do so here.
struct RecordSource {
  std::string key;   // for tools; as in run.json where that has it: "gpu_work"
  std::string name;  // for people
  record::SourceState state = record::SourceState::kRecorded;
  std::string says;        // what will be used, or what is missing
  std::string how_to_get;  // "" if nothing is missing
};

// What decides which sources there are.
struct RecordFacts {
  Result<void> driver;                     // whether there is a CUDA driver with a device
  std::string driver_version;              // "" if not known
  std::optional<device::Found> cupti;      // the library that reports GPU work
  Result<std::string> injection;           // path of the library that strobe injects
  Result<std::vector<std::string>> names;  // of the devices that NVML shows
  bool sees_all_processes = true;          // false in a container
  device::WaitFacts waits;
  device::SwitchRecordFacts switches;
  bool has_kernel_module = false;  // of the GPU's vendor
  bool counters_are_restricted = false;
  std::string strobe;  // path of this program
};
RecordFacts probe_record();
std::vector<RecordSource> record_sources(const RecordFacts& facts);

// The findings of `strobe doctor`.
struct Diagnosis {
  device::CpuFacts cpu;
  device::MemoryFacts memory;
  device::PerfEventFacts perf_events;
  std::vector<device::Engine> engines;
  std::vector<PartGroup> groups;
  std::vector<RecordSource> record;
};

Diagnosis diagnose();
std::string diagnosis_text(const Diagnosis& diagnosis, const Terminal& terminal);
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace strobe::cli
