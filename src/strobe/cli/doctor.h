#pragma once

#include <optional>
#include <string>
#include <vector>

#include "strobe/cli/terminal.h"
#include "strobe/device/probe.h"

namespace strobe::cli {

// One thing strobe can make use of.
struct Part {
  std::string key;   // stable, for tools: "cuda_driver"
  std::string name;  // for people
  std::optional<device::Found> found;
  std::string needed_for;
  std::string how_to_get;  // said only when it is missing
};

struct PartGroup {
  std::string title;
  std::vector<Part> parts;
};

// What `strobe doctor` found.
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
