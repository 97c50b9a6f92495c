#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/balance.h"
#include "tests/property/shared_files.h"
#include "tests/support/recount/recount.h"
#include "tests/support/watched.h"

// Every table of a summary, counted twice: by strobe, and plainly from the raw events of every
// PyTorch trace at hand. Both must agree to the nanosecond.
namespace strobe::analysis {
namespace {

namespace fs = std::filesystem;

// The others were not written by PyTorch's profiler.
constexpr std::string_view kOthers[] = {"paddle", "/xplane/", "/ascend/", "rocprof", "/rpd/"};
// Traces of more than 30 MB: a sanitizer sees nothing new in them, and takes long.
constexpr std::string_view kLarge[] = {"infer_big", "/h200_serve/", "/kineto_resnet50"};

bool has_any(const std::string& name, std::span<const std::string_view> parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

bool is_kineto_trace(const fs::path& path) {
  const std::string name = path.string();
  return (name.ends_with(".json.gz") || name.ends_with(".json.zst")) && !has_any(name, kOthers) &&
         !(test::kIsWatched && has_any(name, kLarge));
}

std::vector<fs::path> kineto_traces() {
  std::vector<fs::path> found;
  for (const fs::path& folder : {fs::path(STROBE_SOURCE_DIR) / "examples", kShared / "traces"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (is_kineto_trace(entry.path())) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(RecountedTracesTest, are_there) {
  const std::size_t shared = test::kIsWatched ? 14 : 20;
  EXPECT_GE(kineto_traces().size(), fs::exists(kShared / "traces") ? 3 + shared : 3u);
}

using Numbers = std::vector<std::int64_t>;
using Table = std::map<std::string, Numbers>;

// The rows of which the two differ, as text: one look at a failure should be enough.
std::string differences(const Table& strobes, const Table& recounted) {
  std::string text;
  const auto row_text = [](const Table& table, const std::string& key) {
    const auto row = table.find(key);
    if (row == table.end()) return std::string("no row");
    std::string numbers;
    for (const std::int64_t number : row->second) numbers += std::to_string(number) + " ";
    return numbers;
  };
  std::map<std::string, int> keys;
  for (const auto& [key, row] : strobes) keys[key] = 1;
  for (const auto& [key, row] : recounted) keys[key] = 1;
  int shown = 0;
  for (const auto& [key, ignored] : keys) {
    const std::string left = row_text(strobes, key);
    const std::string right = row_text(recounted, key);
    if (left == right || ++shown > 12) continue;
    text += key.substr(0, 70) + "\n  strobe  " + left + "\n  recount " + right + "\n";
  }
  if (shown > 12) text += std::to_string(shown - 12) + " more rows differ\n";
  return text;
}

template <class... Number>
Numbers numbers(Number... each) {
  return {static_cast<std::int64_t>(each)...};
}

template <class Groups>
Table host_rows(const Groups& groups) {
  Table table;
  for (const auto& group : groups) {
    for (const auto& row : group.rows) {
      table[row.name] =
          numbers(row.host.calls, row.host.total_ns, row.self_host_ns, row.device.total_ns);
    }
  }
  return table;
}

Table host_rows(const std::map<std::string, recount::NameRow>& rows) {
  Table table;
  for (const auto& [name, row] : rows) {
    table[name] = numbers(row.calls, row.total_ns, row.self_ns, row.device_ns);
  }
  return table;
}

void expect_same(const Table& strobes, const Table& recounted, std::string_view what) {
  EXPECT_EQ(differences(strobes, recounted), "") << what;
}

void expect_same_names(const Summary& summary, const recount::Tables& tables) {
  expect_same(host_rows(summary.operators), host_rows(tables.operators),
              "operators: calls, total, self, device");
  expect_same(host_rows(summary.user_ranges), host_rows(tables.ranges),
              "ranges: calls, total, self, device");
  Table self;
  Table self_again;
  for (const auto& group : summary.operators) {
    for (const OperatorRow& row : group.rows) self[row.name] = numbers(row.self_device_ns);
  }
  for (const auto& [name, row] : tables.operators) self_again[name] = numbers(row.self_device_ns);
  expect_same(self, self_again, "operators: device time by itself");
}

void expect_same_kernels(const Summary& summary, const recount::Tables& tables) {
  Table kernels;
  Table kernels_again;
  Table launchers;
  Table launchers_again;
  for (const KernelRow& row : summary.kernels) {
    kernels[row.name] = numbers(row.device.calls, row.device.total_ns);
    for (const KernelLauncher& launcher : row.launchers) {
      launchers[launcher.inner + " < " + launcher.outer + " : " + row.name] =
          numbers(launcher.device_ns);
    }
  }
  for (const auto& [name, row] : tables.kernels) {
    kernels_again[name] = numbers(row.calls, row.total_ns);
    for (const auto& [who, ns] : row.launched_ns) {
      launchers_again[who.first + " < " + who.second + " : " + name] = numbers(ns);
    }
  }
  expect_same(kernels, kernels_again, "kernels: calls, total");
  expect_same(launchers, launchers_again, "kernels: launched by");
}

void expect_same_devices(const Summary& summary, const recount::Tables& tables) {
  const CommunicationTotals& communication = summary.communication;
  EXPECT_EQ(numbers(communication.communication_ns, communication.computation_ns,
                    communication.overlap_ns, communication.host_ns),
            numbers(tables.communication_ns, tables.computation_ns, tables.overlap_ns,
                    tables.host_communication_ns))
      << "communication, computation, overlap, host";
  Table devices;
  Table devices_again;
  for (const DeviceRow& row : summary.devices) {
    devices[std::to_string(row.device)] = numbers(row.busy_ns);
  }
  for (const auto& [device, ns] : tables.busy_ns) devices_again[std::to_string(device)] = {ns};
  expect_same(devices, devices_again, "devices: busy");

  Table streams;
  Table streams_again;
  for (const StreamRow& row : summary.waits.streams) {
    streams[std::to_string(row.device) + " " + row.stream] =
        numbers(row.works, row.busy_ns, row.with_launch, row.median_delay_ns, row.max_delay_ns);
  }
  for (const auto& [key, row] : tables.streams) {
    const auto& delays = row.delays_ns;
    streams_again[std::to_string(key.first) + " " + key.second] = numbers(
        row.works, row.busy_ns, delays.size(), delays.empty() ? 0 : delays[(delays.size() - 1) / 2],
        delays.empty() ? 0 : delays.back());
  }
  expect_same(streams, streams_again, "streams: works, busy, launches, delays");
}

void expect_same_waits(const Summary& summary, const recount::Tables& tables) {
  EXPECT_EQ(summary.waits.idle_ns, tables.idle_ns);
  Table causes;
  Table causes_again;
  for (const IdleRow& row : summary.waits.idle) {
    Numbers& idle = causes.try_emplace(std::string(word_of(row.kind)), 1).first->second;
    idle[0] += row.idle.total_ns;
  }
  for (const auto& [cause, ns] : tables.idle_causes_ns) {
    if (ns > 0) causes_again[cause] = numbers(ns);
  }
  expect_same(causes, causes_again, "idle causes: time");

  Table calls;
  Table calls_again;
  for (const RuntimeCallRow& row : summary.waits.calls) {
    calls[row.name] =
        numbers(row.host.calls, row.host.total_ns, row.device_idle_ns, row.longest.length_ns());
  }
  for (const auto& [name, row] : tables.calls) {
    calls_again[name] = numbers(row.calls, row.total_ns, row.device_idle_ns, row.longest_ns);
  }
  expect_same(calls, calls_again, "runtime calls: calls, total, idle, longest");
}

// Steps that the trace marks: those that strobe found by itself are not recounted.
void expect_same_steps(const Summary& summary, const recount::Tables& tables) {
  if (tables.steps.empty()) return;
  EXPECT_EQ(summary.waits.idle_in_steps_ns, tables.idle_in_steps_ns);
  Table steps;
  Table steps_again;
  for (const StepRow& row : summary.steps) {
    const auto ns = [&](StepLabel label) { return row.label_ns[static_cast<int>(label)]; };
    steps[row.name] =
        numbers(row.interval.length_ns(), ns(StepLabel::kKernel), ns(StepLabel::kCommunication),
                ns(StepLabel::kMemcpy) + ns(StepLabel::kMemset),
                ns(StepLabel::kRuntime) + ns(StepLabel::kDataLoader) + ns(StepLabel::kHost) +
                    ns(StepLabel::kIdle));
  }
  for (const auto& [name, row] : tables.steps) {
    steps_again[name] =
        numbers(row.duration_ns, row.kernel_ns, row.communication_ns, row.copy_ns, row.idle_ns);
  }
  expect_same(steps, steps_again, "steps: duration, kernels, exposed communication, copies, idle");

  Table calls;
  Table calls_again;
  for (const RuntimeCallRow& row : summary.waits.calls) calls[row.name] = {row.in_steps_ns};
  for (const auto& [name, row] : tables.calls) calls_again[name] = {row.in_steps_ns};
  expect_same(calls, calls_again, "runtime calls: time in steps");
}

void expect_same_phases(const Summary& summary, const recount::Tables& tables) {
  Table phases;
  Table phases_again;
  for (const PhaseTotals& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) continue;
    // Without ranges of its own, backward is made of operators, which are not recounted.
    if (phase.kind == SliceKind::kBackward && !tables.phases_ns.contains("backward")) continue;
    phases[std::string(word_of(phase.kind))] = numbers(phase.host.total_ns);
  }
  for (const auto& [name, ns] : tables.phases_ns) phases_again[name] = numbers(ns);
  expect_same(phases, phases_again, "phases: host time");
}

void expect_same_memory(const Summary& summary, const recount::Tables& tables) {
  Table memory;
  Table memory_again;
  for (const MemoryPlace& place : summary.memory) {
    MemoryRow sum;
    for (const MemoryRow& row : place.allocated) {
      sum.allocations += row.allocations;
      sum.frees += row.frees;
      sum.allocated_bytes += row.allocated_bytes;
      sum.freed_bytes += row.freed_bytes;
    }
    memory[std::string(parts_of_place(place.place).text)] =
        numbers(sum.allocations, sum.frees, sum.allocated_bytes, sum.freed_bytes);
  }
  for (const auto& [place, row] : tables.memory) {
    memory_again[place] = numbers(row.allocations, row.frees, row.allocated_bytes, row.freed_bytes);
  }
  expect_same(memory, memory_again, "memory: allocations, frees, bytes");
}

class RecountTest : public ::testing::TestWithParam<fs::path> {};

TEST_P(RecountTest, agrees_with_every_table) {
  const std::string text = file_text(GetParam());
  const auto loaded = readers::read_trace_bytes(text, "text", {.threads = 1});
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Summary summary = summarize(loaded->trace);
  const recount::Tables tables = recount::count(recount::read_raw(text));
  EXPECT_FALSE(tables.kernels.empty() && tables.operators.empty()) << "there is nothing to compare";
  EXPECT_EQ(summary.slices, tables.slices);
  EXPECT_EQ(summary.span_ns, tables.span_ns);
  expect_same_names(summary, tables);
  expect_same_kernels(summary, tables);
  expect_same_devices(summary, tables);
  expect_same_waits(summary, tables);
  expect_same_steps(summary, tables);
  expect_same_phases(summary, tables);
  expect_same_memory(summary, tables);
  expect_balance(loaded->trace, summary);
}

INSTANTIATE_TEST_SUITE_P(All, RecountTest, ::testing::ValuesIn(kineto_traces()),
                         [](const auto& parameter) {
                           const fs::path folder = parameter.param.parent_path();
                           std::string name = (folder.parent_path().filename() / folder.filename() /
                                               parameter.param.stem().stem())
                                                  .string();
                           for (char& c : name) {
                             if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace strobe::analysis
