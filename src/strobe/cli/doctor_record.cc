#include <filesystem>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/base/text.h"
#include "strobe/cli/doctor.h"
#include "strobe/record/library_finder.h"
#include "strobe/record/obstacles.h"
#include "strobe/record/sampler/device_sampler.h"

namespace strobe::cli {
namespace {

namespace fs = std::filesystem;
using record::SourceState;

constexpr std::string_view kHowToReadCounters =
    "`echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | sudo tee "
    "/etc/modprobe.d/nvidia-profiling.conf`, then `sudo update-initramfs -u` where there is one, "
    "and restart; or run as root; in a container: --cap-add SYS_ADMIN";

RecordSource missing_source(std::string key, std::string name, const Error& error) {
  const std::string place = error.where.empty() ? "" : fmt::format(" ({})", error.where);
  return {std::move(key), std::move(name), SourceState::kMissing, error.what + place, error.hint};
}

RecordSource gpu_work(const RecordFacts& facts) {
  const std::string key = "gpu_work";
  const std::string name = "GPU work";
  if (!facts.driver) return missing_source(key, name, facts.driver.error());
  if (!facts.injection) return missing_source(key, name, facts.injection.error());
  if (!facts.cupti) {
    return {key, name, SourceState::kPartly,
            "there is no CUPTI on this machine: only programs that bring one along, as those with "
            "PyTorch, can be recorded",
            "CUDA toolkit, or: pip install nvidia-cuda-cupti; STROBE_RECORD_CUPTI may name one"};
  }
  std::vector<std::string> words = {fmt::format("CUPTI {}", facts.cupti->version)};
  if (!facts.driver_version.empty()) words.push_back("CUDA driver " + facts.driver_version);
  words.push_back(*facts.injection);
  return {key, name, SourceState::kRecorded, fmt::format("{}", fmt::join(words, ", ")), ""};
}

RecordSource ranges(const RecordFacts& facts) {
  if (!facts.injection) return missing_source("ranges", "NVTX ranges", facts.injection.error());
  return {"ranges", "NVTX ranges", SourceState::kRecorded,
          "of every program that marks them, with or without a GPU", ""};
}

RecordSource device_metrics(const RecordFacts& facts) {
  const std::string key = "device_metrics";
  const std::string name = "device metrics";
  if (!facts.names) return missing_source(key, name, facts.names.error());
  const std::string found =
      fmt::format("{}: {}", counted(facts.names->size(), "device"), fmt::join(*facts.names, ", "));
  if (facts.sees_all_processes) return {key, name, SourceState::kRecorded, found, ""};
  return {key, name, SourceState::kPartly,
          found + "; processes outside of this container that use it are hidden",
          "start the container with the machine's processes: docker run --pid=host"};
}

RecordSource host(const RecordFacts& facts) {
  std::vector<std::string> lacks;
  std::vector<std::string> remedies;
  if (!facts.waits.per_thread) {
    lacks.emplace_back("/proc has no schedstat, so that waits for a core are not seen");
    remedies.emplace_back("a kernel with CONFIG_SCHED_INFO; sandboxes have none");
  }
  if (!facts.waits.pressure) {
    lacks.emplace_back("/proc/pressure is missing");
    remedies.emplace_back("boot the kernel with psi=1");
  }
  if (!facts.waits.cpu_quota) {
    lacks.emplace_back("no control groups are mounted, so that a CPU quota is not seen");
    remedies.emplace_back("mount /sys/fs/cgroup");
  }
  if (lacks.empty()) {
    return {"host", "host", SourceState::kRecorded,
            "cores, waits, memory, pressure and CPU quota, from /proc and control groups", ""};
  }
  return {"host", "host", SourceState::kPartly, fmt::format("{}", fmt::join(lacks, "; ")),
          fmt::format("{}", fmt::join(remedies, "; "))};
}

std::string how_to_record_switches(const RecordFacts& facts) {
  const device::SwitchRecordFacts& switches = facts.switches;
  if (!switches.is_forbidden) return "a newer kernel, outside of a sandbox";
  if (switches.paranoid_level.value_or(4) <= 0) {
    return "a container or a security module forbids it: start the container with --cap-add "
           "PERFMON, or with --security-opt seccomp=unconfined";
  }
  return fmt::format(
      "`sudo sysctl kernel.perf_event_paranoid=0`; or `sudo setcap cap_perfmon+ep {}`, but then "
      "LD_LIBRARY_PATH and LD_PRELOAD do not reach the program; in a container: --cap-add PERFMON",
      facts.strobe);
}

RecordSource scheduler(const RecordFacts& facts) {
  const device::SwitchRecordFacts& switches = facts.switches;
  const std::string level = switches.paranoid_level
                                ? fmt::format("perf_event_paranoid {}", *switches.paranoid_level)
                                : std::string("perf_event_paranoid unreadable");
  const std::string key = "scheduler";
  const std::string name = "waits for a core";
  if (switches.of_all_cores) {
    return {key, name, SourceState::kRecorded,
            fmt::format("each wait for a core and who ran instead, {}", level), ""};
  }
  if (switches.of_own_processes) {
    return {key, name, SourceState::kPartly,
            fmt::format("each time the program lost its core, but not who ran instead ({}, {})",
                        switches.obstacle, level),
            how_to_record_switches(facts)};
  }
  return {
      key, name, SourceState::kMissing,
      fmt::format("{}, {}; counters of waits are recorded all the same", switches.obstacle, level),
      how_to_record_switches(facts)};
}

RecordSource kernel_counters(const RecordFacts& facts) {
  const std::string key = "counters";
  const std::string name = "kernel counters";
  if (!facts.has_kernel_module) {
    return {key, name, SourceState::kMissing, "there is no NVIDIA kernel module",
            "run on a machine with an NVIDIA GPU"};
  }
  if (facts.counters_are_restricted) {
    return {key, name, SourceState::kMissing,
            "only administrators may read them (RmProfilingAdminOnly is 1)",
            std::string(kHowToReadCounters)};
  }
  return {key, name, SourceState::kRecorded, "may be read, for strobe kernels record", ""};
}

Result<std::vector<std::string>> names_of_devices() {
  STROBE_TRY(const auto sampler, record::DeviceSampler::open());
  std::vector<std::string> names;
  for (const record::RecordedDevice& one : sampler->devices()) names.push_back(one.name);
  return names;
}

Result<std::string> injected_library() {
  STROBE_TRY(const fs::path path, record::find_injection_library());
  return path.string();
}

}  // namespace

RecordFacts probe_record() {
  std::error_code unreadable;
  RecordFacts facts = {.driver = record::check_driver(),
                       .driver_version = "",
                       .cupti = device::probe_library(device::Library::kCupti),
                       .injection = injected_library(),
                       .names = names_of_devices(),
                       .sees_all_processes = record::ProcessOwners().sees_all(),
                       .waits = device::probe_waits(),
                       .switches = device::probe_switch_records(),
                       .has_kernel_module = fs::exists("/proc/driver/nvidia/version", unreadable),
                       .counters_are_restricted = record::counters_are_restricted(),
                       .strobe = fs::read_symlink("/proc/self/exe", unreadable).string()};
  if (const auto driver = device::probe_library(device::Library::kCudaDriver)) {
    facts.driver_version = driver->version;
  }
  return facts;
}

std::vector<RecordSource> record_sources(const RecordFacts& facts) {
  return {gpu_work(facts), ranges(facts),    device_metrics(facts),
          host(facts),     scheduler(facts), kernel_counters(facts)};
}

}  // namespace strobe::cli
