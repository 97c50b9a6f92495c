#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/analysis/tables/summary.h"
#include "strobe/readers/trace_reader.h"
#include "tests/property/shared_files.h"
#include "tests/support/recount/recount.h"
#include "tests/support/watched.h"

// Every table of a summary, counted twice: by strobe, and plainly from the raw events of every
// PyTorch trace at hand. Both must agree to the nanosecond.
namespace strobe::analysis {
namespace {

namespace fs = std::filesystem;

// The others are no PyTorch traces, or of devices whose work is not recognised.
constexpr std::string_view kOthers[] = {"paddle",  "/xplane/", "/ascend/", "/mtia/",
                                        "/other/", "rocprof",  "/rpd/"};

bool is_kineto_trace(const fs::path& path) {
  const std::string name = path.string();
  return (name.ends_with(".json.gz") || name.ends_with(".json.zst")) &&
         std::none_of(std::begin(kOthers), std::end(kOthers), [&](std::string_view other) {
           return name.find(other) != std::string::npos;
         });
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

void expect_same_tables(const Summary& summary, const recount::Tables& tables) {
  EXPECT_EQ(differences(host_rows(summary.operators), host_rows(tables.operators)), "")
      << "operators: calls, total, self, device";
  EXPECT_EQ(differences(host_rows(summary.user_ranges), host_rows(tables.ranges)), "")
      << "ranges: calls, total, self, device";

  Table self_device;
  Table self_device_again;
  for (const auto& group : summary.operators) {
    for (const auto& row : group.rows) self_device[row.name] = numbers(row.self_device_ns);
  }
  for (const auto& [name, row] : tables.operators) {
    self_device_again[name] = numbers(row.self_device_ns);
  }
  EXPECT_EQ(differences(self_device, self_device_again), "") << "operators: device time by itself";

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
  EXPECT_EQ(differences(kernels, kernels_again), "") << "kernels: calls, total";
  EXPECT_EQ(differences(launchers, launchers_again), "") << "kernels: launched by";

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
  EXPECT_EQ(differences(devices, devices_again), "") << "devices: busy";

  EXPECT_EQ(summary.span_ns, tables.span_ns);
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
  EXPECT_EQ(differences(causes, causes_again), "") << "idle causes: time";

  Table calls;
  Table calls_again;
  for (const RuntimeCallRow& row : summary.waits.calls) {
    calls[row.name] =
        numbers(row.host.calls, row.host.total_ns, row.device_idle_ns, row.longest.length_ns());
  }
  for (const auto& [name, row] : tables.calls) {
    calls_again[name] = numbers(row.calls, row.total_ns, row.device_idle_ns, row.longest_ns);
  }
  EXPECT_EQ(differences(calls, calls_again), "") << "runtime calls: calls, total, idle, longest";

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
  EXPECT_EQ(differences(streams, streams_again), "") << "streams: works, busy, launches, delays";
}

void expect_same_steps_and_phases(const Summary& summary, const recount::Tables& tables) {
  if (!tables.steps.empty()) {
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
    EXPECT_EQ(differences(steps, steps_again), "")
        << "steps: duration, kernels, exposed communication, copies, idle";
  }
  Table phases;
  Table phases_again;
  for (const PhaseTotals& phase : summary.phases) {
    if (phase.kind == SliceKind::kStep) continue;
    // Without ranges of its own, backward is made of operators, which are not recounted.
    if (phase.kind == SliceKind::kBackward && !tables.phases_ns.contains("backward")) continue;
    phases[std::string(word_of(phase.kind))] = numbers(phase.host.total_ns);
  }
  for (const auto& [name, ns] : tables.phases_ns) phases_again[name] = numbers(ns);
  EXPECT_EQ(differences(phases, phases_again), "") << "phases: host time";
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
  EXPECT_EQ(differences(memory, memory_again), "") << "memory: allocations, frees, bytes";
}

void expect_balance(const Trace& trace, const Summary& summary) {
  std::uint64_t slices = 0;
  for (const auto* types : {&summary.host_types, &summary.device_types}) {
    for (const TypeRow& row : *types) {
      EXPECT_LE(row.busy_ns, summary.span_ns) << word_of(row.kind);
      slices += row.calls;
    }
  }
  EXPECT_EQ(slices, trace.slice_count()) << "kinds";
  EXPECT_EQ(summary.slices, trace.slice_count());

  std::int64_t idle_ns = 0;
  std::int64_t idle_in_steps_ns = 0;
  for (const IdleRow& row : summary.waits.idle) {
    EXPECT_GT(row.idle.total_ns, 0) << row.name;
    EXPECT_LE(row.in_steps_ns, row.idle.total_ns) << row.name;
    EXPECT_LE(row.longest.length_ns(), row.idle.total_ns) << row.name;
    idle_ns += row.idle.total_ns;
    idle_in_steps_ns += row.in_steps_ns;
  }
  EXPECT_EQ(idle_ns, summary.waits.idle_ns);
  EXPECT_EQ(idle_in_steps_ns, summary.waits.idle_in_steps_ns);
  EXPECT_LE(summary.outside_phases_ns, summary.total_ns);
  EXPECT_GE(summary.outside_phases_ns, 0);

  std::int64_t threads_ns = 0;
  for (const HostThreadRow& row : summary.threads) threads_ns += row.busy_ns;
  std::int64_t self_ns = 0;
  for (const auto& group : summary.operators) {
    for (const OperatorRow& row : group.rows) {
      EXPECT_GE(row.self_host_ns, 0) << row.name;
      EXPECT_LE(row.self_host_ns, row.host.total_ns) << row.name;
      EXPECT_LE(row.self_device_ns, row.device.total_ns) << row.name;
      EXPECT_LE(row.host.total_ns, threads_ns) << row.name;
      self_ns += row.self_host_ns;
    }
  }
  EXPECT_LE(self_ns, threads_ns);
}

class RecountTest : public ::testing::TestWithParam<fs::path> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(RecountTest);

TEST_P(RecountTest, agrees_with_every_table) {
  const std::string text = file_text(GetParam());
  // A sanitizer sees nothing new in a large trace, and takes long.
  if (test::kIsWatched && text.size() > 30'000'000) return;
  const auto loaded = readers::read_trace_bytes(text, "text", {.threads = 1});
  ASSERT_TRUE(loaded) << loaded.error().what;
  const Summary summary = summarize(loaded->trace);
  const recount::Tables tables = recount::count(recount::read_raw(text));
  expect_same_tables(summary, tables);
  expect_same_steps_and_phases(summary, tables);
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
