#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/terminal.h"
#include "strobe/device/probe.h"

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

// The findings of `strobe doctor`.
struct Diagnosis {
  device::CpuFacts cpu;
  device::MemoryFacts memory;
  device::PerfEventFacts perf_events;
  std::vector<device::Engine> engines;
  std::vector<PartGroup> groups;
};

Diagnosis diagnose();
std::string diagnosis_text(const Diagnosis& diagnosis, const Terminal& terminal);
std::string diagnosis_json(const Diagnosis& diagnosis);

}  // namespace strobe::cli
