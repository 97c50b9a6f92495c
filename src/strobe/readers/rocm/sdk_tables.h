#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "strobe/readers/rocm/json_stream.h"
#include "strobe/readers/rocm/work_rows.h"

namespace strobe::readers {

// What the records of a process in rocprofv3's JSON refer to by number. Each reads one member of
// the process; what is no valid entry is left out, and what refers to it gets a number as its name.

class SdkAgents {
 public:
  void read(JsonStream& json, WorkRows& rows);

  struct Agent {
    std::int32_t device = 0;
    bool is_gpu = true;
  };
  // An agent that is not listed is known by its handle.
  Agent of(std::uint64_t handle) const;

 private:
  std::unordered_map<std::uint64_t, Agent> agents_;  // by handle
};

class SdkKernels {
 public:
  struct Kernel {
    std::string written;  // until it is first asked for: most kernels of a program never run
    KernelName name;
    std::uint64_t registers = 0;
    std::uint64_t accumulation_registers = 0;
    std::uint64_t scalar_registers = 0;
  };

  void read(JsonStream& json);
  // A kernel that is not listed has its number as its name.
  const Kernel& of(std::uint64_t id, WorkRows& rows);

 private:
  std::unordered_map<std::uint64_t, Kernel> kernels_;
};

class SdkCounters {
 public:
  void read(JsonStream& json);
  // What a dispatch's record says: [{"counter_id": {"handle": 5}, "value": 3}, ...].
  NamedCounters of(std::string_view record) const;

 private:
  std::unordered_map<std::uint64_t, std::string> names_;  // by handle
};

class SdkStrings {
 public:
  void read(JsonStream& json, TraceSink& sink);

  // "HIP_RUNTIME_API", "" if unknown.
  std::string_view kind(std::uint64_t kind) const;
  // "hipLaunchKernel"
  std::string operation(std::uint64_t kind, std::uint64_t operation) const;
  // What a marker says, by its correlation.
  std::optional<StringId> message(std::uint64_t correlation) const;

 private:
  struct Kind {
    std::string name;
    std::vector<std::string> operations;
  };
  std::vector<Kind> kinds_;
  std::unordered_map<std::uint64_t, StringId> messages_;
};

}  // namespace strobe::readers
