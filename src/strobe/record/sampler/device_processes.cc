#include "strobe/record/sampler/device_processes.h"

#include <algorithm>

namespace strobe::record {
namespace {

using device::NvmlAnswer;
using device::NvmlApi;
using device::NvmlDevice;
using device::NvmlProcess;
using device::NvmlProcessUtilization;

constexpr std::size_t kFirstRoom = 64;
constexpr std::size_t kFirstRoomForUse = 1024;  // a driver that has one process to tell refused 64
constexpr std::size_t kMostRoom = 8192;
constexpr std::int64_t kWholeDevice = 100;

using ListCall = int (*)(NvmlDevice, unsigned*, NvmlProcess*);

// Adds the processes of one of the driver's lists. `room` grows until all of them fit.
int add_listed(ListCall call, NvmlDevice handle, std::vector<NvmlProcess>& room,
               std::map<pid_t, unsigned long long>& listed) {
  if (call == nullptr) return device::kNvmlFunctionNotFound;
  if (room.empty()) room.resize(kFirstRoom);
  // Some drivers write a third more per process than they say, so that much room is left.
  auto count = static_cast<unsigned>(room.size() * 3 / 4);
  const int result = call(handle, &count, room.data());
  if (result == device::kNvmlInsufficientSize) {
    room.resize(std::min(kMostRoom, std::max(room.size() * 2, std::size_t{count} * 2)));
  }
  if (result != device::kNvmlSuccess) return result;
  for (const NvmlProcess& one : std::span(room).first(std::min<std::size_t>(count, room.size()))) {
    unsigned long long& bytes = listed[static_cast<pid_t>(one.pid)];
    bytes = std::max(bytes, one.used_bytes);
  }
  return result;
}

}  // namespace

DeviceProcesses::DeviceProcesses(unsigned device, std::uint64_t memory_bytes,
                                 std::uint64_t start_unix_us)
    : device_(device), memory_bytes_(memory_bytes), since_us_(start_unix_us) {}

NvmlAnswer DeviceProcesses::sample_list(const NvmlApi& nvml, NvmlDevice handle, std::int64_t now_ns,
                                        ProcessOwners& owners, SampleLog& log) {
  is_list_known_ = false;
  listed_.clear();
  const NvmlAnswer computing =
      device::answer_of(add_listed(nvml.compute_processes, handle, list_room_, listed_));
  if (computing != NvmlAnswer::kGiven) return computing;
  if (has_graphics_list_) {
    const NvmlAnswer drawing =
        device::answer_of(add_listed(nvml.graphics_processes, handle, list_room_, listed_));
    has_graphics_list_ = drawing != NvmlAnswer::kNever;
    if (drawing == NvmlAnswer::kNotNow || drawing == NvmlAnswer::kLost) return drawing;
  }
  is_list_known_ = true;
  look_for_mps(nvml, handle, owners);
  write_list(now_ns, owners, log);
  return NvmlAnswer::kGiven;
}

// The driver counts work of the clients of an MPS server as the server's or as theirs.
void DeviceProcesses::look_for_mps(const NvmlApi& nvml, NvmlDevice handle, ProcessOwners& owners) {
  shares_mps_server_ = false;
  bool has_own = false;
  bool has_server = false;
  for (const auto& [process, bytes] : listed_) {
    has_own = has_own || owners.see(NumberSource::kList, process) == Owner::kOwn;
    has_server = has_server || owners.is_mps_server(process);
  }
  if (!has_server) return;
  std::map<pid_t, unsigned long long> clients;
  if (add_listed(nvml.mps_processes, handle, list_room_, clients) != device::kNvmlSuccess) {
    shares_mps_server_ = has_own;
  }
  for (const auto& [process, bytes] : clients) {
    const bool is_own = owners.see(NumberSource::kList, process) == Owner::kOwn;
    shares_mps_server_ = shares_mps_server_ || is_own;
  }
}

bool DeviceProcesses::is_foreign(Owner owner, pid_t process, ProcessOwners& owners) const {
  if (owner != Owner::kForeign) return false;
  return !(shares_mps_server_ && owners.is_mps_server(process));
}

void DeviceProcesses::write_list(std::int64_t now_ns, ProcessOwners& owners, SampleLog& log) {
  std::int64_t foreign = 0;
  unsigned long long foreign_bytes = 0;
  bool has_unknown = false;
  bool knows_memory = true;
  for (const auto& [process, bytes] : listed_) {
    const Owner owner = owners.see(NumberSource::kList, process);
    has_unknown = has_unknown || owner == Owner::kUnknown;
    if (!is_foreign(owner, process, owners)) continue;
    ++foreign;
    // In a container, some drivers say 0 for memory that they do not show.
    knows_memory = knows_memory && bytes != 0 && bytes != device::kNvmlNotAvailable;
    foreign_bytes += bytes;
  }
  if (!owners.are_of_this_machine(NumberSource::kList) || has_unknown) return;
  // A container hides processes outside, so that "none" is no fact there.
  if (foreign == 0 && !owners.sees_all() && !had_foreign_) return;
  had_foreign_ = had_foreign_ || foreign > 0;
  log.add(device_series(device_, "gpu_foreign_processes"), now_ns, foreign);
  if (!knows_memory) return;
  log.add(device_series(device_, "gpu_foreign_mem_used", -2), now_ns,
          hundredths_of_percent(foreign_bytes, memory_bytes_));
}

NvmlAnswer DeviceProcesses::sample_use(const NvmlApi& nvml, NvmlDevice handle, std::int64_t now_ns,
                                       std::uint64_t now_unix_us, ProcessOwners& owners,
                                       SampleLog& log) {
  if (nvml.process_utilization == nullptr) return NvmlAnswer::kNever;
  // An empty list may be old, and a new one costs a hundredth of the question for use.
  if (is_list_known_ && listed_.empty()) sample_list(nvml, handle, now_ns, owners, log);
  if (is_list_known_ && listed_.empty() && owners.sees_all()) {
    since_us_ = now_unix_us;
    write_use({}, now_ns, owners, log);
    return NvmlAnswer::kGiven;
  }
  if (use_room_.empty()) use_room_.resize(kFirstRoomForUse);
  auto count = static_cast<unsigned>(use_room_.size());
  const int result = nvml.process_utilization(handle, use_room_.data(), &count, since_us_);
  if (result == device::kNvmlInsufficientSize) {
    use_room_.resize(std::min(kMostRoom, std::max(use_room_.size() * 2, std::size_t{count})));
  }
  // Processes that have not used the device since then are left out.
  if (result == device::kNvmlNotFound) count = 0;
  if (result != device::kNvmlSuccess && result != device::kNvmlNotFound) {
    return device::answer_of(result);
  }
  const auto given = std::span(use_room_).first(std::min<std::size_t>(count, use_room_.size()));
  const Shares shares = shares_of(given, owners);
  const bool is_strange = shares.has_strange_number && shares.own == 0 && shares.foreign.empty();
  strange_answers_ = is_strange ? strange_answers_ + 1 : 0;
  write_use(shares, now_ns, owners, log);
  return NvmlAnswer::kGiven;
}

// Some drivers fill entries that they do not use with rubbish: only new samples of up to 100 %
// count.
DeviceProcesses::Shares DeviceProcesses::shares_of(std::span<const NvmlProcessUtilization> samples,
                                                   ProcessOwners& owners) {
  std::map<pid_t, const NvmlProcessUtilization*> newest;
  std::uint64_t last_us = since_us_;
  for (const NvmlProcessUtilization& one : samples) {
    if (one.pid == 0 || one.time_us <= since_us_ || one.sm_percent > kWholeDevice) continue;
    const NvmlProcessUtilization*& kept = newest[static_cast<pid_t>(one.pid)];
    if (kept == nullptr || one.time_us > kept->time_us) kept = &one;
    last_us = std::max<std::uint64_t>(last_us, one.time_us);
  }
  since_us_ = last_us;
  Shares shares;
  for (const auto& [process, sample] : newest) {
    if (sample->sm_percent == 0) continue;
    const Owner owner = owners.see(NumberSource::kUse, process);
    if (owner == Owner::kOwn) shares.own += sample->sm_percent;
    if (is_foreign(owner, process, owners)) {
      shares.foreign[owners.name_of(process)] = sample->sm_percent;
    } else if (owner != Owner::kOwn) {
      shares.is_complete = false;
    }
    shares.has_strange_number = shares.has_strange_number || owner == Owner::kUnknown;
  }
  return shares;
}

void DeviceProcesses::write_use(const Shares& shares, std::int64_t now_ns,
                                const ProcessOwners& owners, SampleLog& log) {
  if (!owners.are_of_this_machine(NumberSource::kUse)) return;
  log.add(device_series(device_, "gpu_process_usage"), now_ns, std::min(shares.own, kWholeDevice));
  std::map<std::string, std::int64_t> shown = shares.foreign;
  for (const std::string& name : foreign_users_) shown.try_emplace(name, 0);
  foreign_users_.clear();
  std::int64_t all = 0;
  for (const auto& [name, percent] : shown) {
    log.add(device_series(device_, "gpu_foreign_process_usage", 0, name), now_ns, percent);
    if (percent > 0) foreign_users_.insert(name);
    all += percent;
  }
  if (!shares.is_complete) return;
  log.add(device_series(device_, "gpu_foreign_usage"), now_ns, std::min(all, kWholeDevice));
}

}  // namespace strobe::record
