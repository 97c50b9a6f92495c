#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "strobe/analysis/tables/summary.h"

// What holds for the summary of every trace, random or real: no time is negative, counted twice or
// above its whole, and the parts of a whole add up to it.
namespace strobe::analysis {

inline std::int64_t busy_of_threads_ns(const Summary& summary) {
  std::int64_t busy_ns = 0;
  for (const HostThreadRow& thread : summary.threads) busy_ns += thread.busy_ns;
  return busy_ns;
}

// Returns the self time of all rows.
template <class Row>
std::int64_t expect_rows_within(std::int64_t whole_ns,
                                const std::vector<ThreadGroup<Row>>& groups) {
  std::int64_t self_ns = 0;
  for (const auto& group : groups) {
    for (const Row& row : group.rows) {
      EXPECT_GE(row.self_host_ns, 0) << row.name;
      EXPECT_LE(row.self_host_ns, row.host.total_ns) << row.name;
      EXPECT_LE(row.host.total_ns, whole_ns) << row.name;
      self_ns += row.self_host_ns;
    }
  }
  return self_ns;
}

inline void expect_host_balance(const Trace&, const Summary& summary) {
  const std::int64_t busy_ns = busy_of_threads_ns(summary);
  const std::int64_t self_ns = expect_rows_within(busy_ns, summary.operators) +
                               expect_rows_within(busy_ns, summary.user_ranges);
  EXPECT_LE(self_ns, busy_ns);
  for (const HostThreadRow& thread : summary.threads) {
    EXPECT_LE(thread.busy_ns, summary.span_ns) << thread.thread;
  }
  for (const PhaseTotals& phase : summary.phases) {
    EXPECT_LE(phase.host.total_ns, summary.total_ns) << word_of(phase.kind);
  }
  EXPECT_GE(summary.outside_phases_ns, 0);
  EXPECT_LE(summary.outside_phases_ns, summary.total_ns);
  for (const RuntimeCallRow& row : summary.waits.calls) {
    EXPECT_LE(row.device_idle_ns, row.host.total_ns) << row.name;
    EXPECT_LE(row.in_steps_ns, row.host.total_ns) << row.name;
  }
}

inline void expect_device_balance(const Trace&, const Summary& summary) {
  for (const DeviceRow& row : summary.devices) {
    EXPECT_LE(row.kernel_busy_ns, row.busy_ns) << row.device;
    EXPECT_LE(row.busy_ns, summary.span_ns) << row.device;
  }
  for (const StreamRow& row : summary.waits.streams) {
    EXPECT_LE(row.busy_ns, summary.span_ns) << row.stream;
  }
  for (const auto& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      EXPECT_GE(row.self_device_ns, 0) << row.name;
      EXPECT_LE(row.self_device_ns, row.device.total_ns) << row.name;
    }
  }
  for (const KernelRow& row : summary.kernels) {
    std::int64_t launched_ns = 0;
    for (const KernelLauncher& launcher : row.launchers) launched_ns += launcher.device_ns;
    EXPECT_EQ(launched_ns, row.device.total_ns) << row.name;
  }
  const CommunicationTotals& communication = summary.communication;
  EXPECT_LE(communication.overlap_ns, communication.communication_ns);
  EXPECT_LE(communication.overlap_ns, communication.computation_ns);
  EXPECT_LE(communication.communication_ns, summary.span_ns);
}

inline void expect_idle_balance(const Trace& trace, const Summary& summary) {
  std::vector<Interval> works;
  for (std::size_t row = 0; row < trace.slice_count(); ++row) {
    if (is_device_work(trace.kind(SliceId(row)))) works.push_back(trace.interval(SliceId(row)));
  }
  // Without device work nothing can be idle.
  const std::int64_t known_ns = works.empty() ? 0 : summary.span_ns;
  EXPECT_EQ(summary.waits.idle_ns + total_ns(union_of(works)), known_ns);
  std::int64_t idle_ns = 0;
  std::int64_t in_steps_ns = 0;
  for (const IdleRow& row : summary.waits.idle) {
    EXPECT_GT(row.idle.total_ns, 0) << row.name;
    EXPECT_GE(row.in_steps_ns, 0) << row.name;
    EXPECT_LE(row.in_steps_ns, row.idle.total_ns) << row.name;
    EXPECT_LE(row.longest.length_ns(), row.idle.total_ns) << row.name;
    idle_ns += row.idle.total_ns;
    in_steps_ns += row.in_steps_ns;
  }
  EXPECT_EQ(idle_ns, summary.waits.idle_ns);
  EXPECT_EQ(in_steps_ns, summary.waits.idle_in_steps_ns);
}

inline void expect_kinds_balance(const Trace& trace, const Summary& summary) {
  std::uint64_t slices = 0;
  for (const auto* types : {&summary.host_types, &summary.device_types}) {
    for (const TypeRow& row : *types) {
      EXPECT_LE(row.busy_ns, summary.span_ns) << word_of(row.kind);
      slices += row.calls;
    }
  }
  EXPECT_EQ(slices, trace.slice_count());
  EXPECT_EQ(summary.slices, slices);
}

inline void expect_balance(const Trace& trace, const Summary& summary) {
  expect_host_balance(trace, summary);
  expect_device_balance(trace, summary);
  expect_idle_balance(trace, summary);
  expect_kinds_balance(trace, summary);
}

}  // namespace strobe::analysis
