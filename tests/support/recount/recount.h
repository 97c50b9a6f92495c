#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/recount/raw_trace.h"

// The tables of docs/summary.md counted a second time, by its definitions and in the plainest way:
// every moment is looked at by itself. It shares no code with strobe, except the list of names of
// kernels that communicate.
namespace strobe::recount {

struct NameRow {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t self_ns = 0;
  std::int64_t device_ns = 0;       // launched inside
  std::int64_t self_device_ns = 0;  // launched with this as the innermost operator
};

struct KernelRow {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  // By innermost and outermost operator around the launch; "" is outside of operators, or no other
  // name around the inner one.
  std::map<std::pair<std::string, std::string>, std::int64_t> launched_ns;
};

struct CallRow {
  std::uint64_t calls = 0;
  std::int64_t total_ns = 0;
  std::int64_t in_steps_ns = 0;
  std::int64_t device_idle_ns = 0;
  std::int64_t longest_ns = 0;
};

struct StreamRow {
  std::uint64_t works = 0;
  std::int64_t busy_ns = 0;
  std::vector<std::int64_t> delays_ns;  // ascending, of the works whose launch is known
};

struct StepRow {
  std::int64_t duration_ns = 0;
  std::int64_t kernel_ns = 0;         // a kernel that computes runs
  std::int64_t communication_ns = 0;  // else a collective
  std::int64_t copy_ns = 0;           // else a copy or memset
  std::int64_t idle_ns = 0;           // else
};

struct MemoryRow {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::int64_t allocated_bytes = 0;
  std::int64_t freed_bytes = 0;
};

struct Tables {
  std::int64_t span_ns = 0;
  std::uint64_t slices = 0;
  std::map<std::string, NameRow> operators;
  std::map<std::string, NameRow> ranges;
  std::map<std::string, KernelRow> kernels;
  std::map<std::int64_t, std::int64_t> busy_ns;  // by device
  std::int64_t communication_ns = 0;
  std::int64_t computation_ns = 0;
  std::int64_t overlap_ns = 0;
  std::int64_t host_communication_ns = 0;
  std::int64_t idle_ns = 0;
  std::int64_t idle_in_steps_ns = 0;
  std::map<std::string, std::int64_t> idle_causes_ns;  // "runtime_call", "launched", ...
  std::map<std::string, CallRow> calls;
  std::map<std::pair<std::int64_t, std::string>, StreamRow> streams;
  std::map<std::string, StepRow> steps;           // by name
  std::map<std::string, std::int64_t> phases_ns;  // "data loader", "forward", ...
  std::map<std::string, MemoryRow> memory;        // by place
};

Tables count(const RawTrace& trace);

}  // namespace strobe::recount
