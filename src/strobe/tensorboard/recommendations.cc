#include "strobe/tensorboard/recommendations.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "strobe/tensorboard/devices.h"

namespace strobe::tensorboard {
namespace {

using Lines = std::vector<std::string>;

std::string link_to(std::string_view address, std::string_view text) {
  return fmt::format("<a href=\"{}\" target=\"_blank\">{}</a>", address, text);
}

double average_share(const Profile& profile, Role role) {
  return ratio(profile.costs.average[role], profile.costs.average.total).value;
}

void advise_data_loading(const Profile& profile, Lines& lines) {
  constexpr double kLimit = 0.05;
  const double share = average_share(profile, Role::kDataLoader);
  if (share <= kLimit) return;
  lines.push_back(fmt::format(
      "Loading input takes {}% of the step time. Let worker processes of the DataLoader do it: {}.",
      fixed1(share * 100),
      link_to("https://pytorch.org/docs/stable/data.html#single-and-multi-process-data-loading",
              "num_workers")));
}

void advise_data_parallel(const Profile& profile, Lines& lines) {
  if (!profile.links.uses_data_parallel || profile.links.device_pids.size() <= 1) return;
  lines.push_back(fmt::format(
      "The model runs in DataParallel. On several devices {} is the better choice.",
      link_to("https://pytorch.org/docs/stable/notes/ddp.html", "DistributedDataParallel")));
}

// `major.minor` read as a decimal number.
double capability(const DeviceProperties& device) {
  if (!device.compute_major || !device.compute_minor) return 0;
  const std::string text = to_text(*device.compute_major) + "." + to_text(*device.compute_minor);
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The vendor's own library for collective calls.
struct FastBackend {
  CommLibrary library;
  std::string_view name;
  double first_capability;
};

void advise_backend(const Profile& profile, Lines& lines) {
  const FastBackend backend = profile.device_kind == DeviceKind::kMlu
                                  ? FastBackend{CommLibrary::kCncl, "CNCL", 0}
                                  : FastBackend{CommLibrary::kNccl, "NCCL", 3.5};
  const Links& links = profile.links;
  if (!links.uses_distributed_data_parallel || !profile.events.device_properties ||
      links.comm_libraries.contains(backend.library) ||
      std::ranges::none_of(*profile.events.device_properties, [&](const DeviceProperties& device) {
        return capability(device) >= backend.first_capability;
      })) {
    return;
  }
  lines.push_back(fmt::format(
      "DistributedDataParallel runs without {}, the fastest {} on these devices.", backend.name,
      link_to("https://pytorch.org/docs/stable/distributed.html#backends", "backend")));
}

void advise_communication(const Profile& profile, Lines& lines) {
  constexpr double kLimit = 0.1;
  const double share = average_share(profile, Role::kCommunication);
  if (share <= kLimit) return;
  lines.push_back(fmt::format(
      "Communication takes {}% of the step time. {}, gradient accumulation or a larger batch make "
      "it less.",
      fixed1(share * 100),
      link_to("https://pytorch.org/docs/stable/ddp_comm_hooks.html", "Gradient compression")));
}

void advise_utilization(const Profile& profile, Lines& lines) {
  constexpr double kLow = 0.5;
  std::vector<std::int64_t> ids;
  for (const DeviceMetrics& device : profile.device_report.devices) {
    if (device.utilization.value < kLow) ids.push_back(device.device);
  }
  if (ids.empty()) return;
  const std::string list = joined_ids(ids);
  lines.push_back(
      fmt::format("{} {} {} low utilization. You could try to increase batch size to improve. "
                  "Note: Increasing batch size may affect the speed and stability of model "
                  "convergence.",
                  device_word(profile.device_kind), list, list.size() == 1 ? "has" : "have"));
}

void advise_tensor_cores(const Profile& profile, Lines& lines) {
  constexpr double kFirstWithTensorCores = 7;
  const auto& devices = profile.events.device_properties;
  if (profile.device_kind != DeviceKind::kGpu || !profile.has_kernel()) return;
  if (!devices || devices->empty() || !devices->front().compute_major ||
      devices->front().compute_major->value < kFirstWithTensorCores ||
      profile.tensor_core_used_ratio.value != 0 || profile.tensor_core_eligible_ratio.value <= 0) {
    return;
  }
  const Number percent = round_to_whole(profile.tensor_core_eligible_ratio * Number::whole(100));
  lines.push_back(fmt::format(
      "{}% of the kernel time comes from operators that could use Tensor Cores, and none does. Try "
      "{}.",
      to_text(percent),
      link_to("https://pytorch.org/docs/stable/amp.html", "automatic mixed precision")));
}

// The peak of each device, in order of first record.
std::vector<std::pair<std::int64_t, double>> memory_peaks(const Events& events) {
  std::vector<std::pair<std::int64_t, double>> peaks;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> rows;
  for (const Event& event : events.all) {
    if (event.type != EventType::kMemory) continue;
    const MemoryArgs& args = events.memory(event);
    if (!(args.total_allocated == args.total_allocated)) continue;
    const auto [row, is_new] = rows.try_emplace({args.device_type, args.device_id}, peaks.size());
    if (is_new) peaks.emplace_back(args.device_id, args.total_allocated);
    double& peak = peaks[row->second].second;
    peak = std::max(peak, args.total_allocated);
  }
  return peaks;
}

void advise_memory(const Profile& profile, Lines& lines) {
  constexpr double kNearlyFull = 0.9;
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  if (!profile.events.device_properties) return;
  const auto count = static_cast<std::int64_t>(profile.events.device_properties->size());
  for (const auto& [id, peak] : memory_peaks(profile.events)) {
    // The CPU's id, -1, means the last device of the list, as in Python.
    const DeviceProperties* const device = properties_of(profile.events, id < 0 ? id + count : id);
    if (device == nullptr) continue;
    const double bytes = describe_device(*device, profile.rules()).memory_bytes.value_or(0);
    if (!(bytes > 0) || peak <= kNearlyFull * bytes) continue;
    lines.push_back(
        fmt::format("Device {} is nearly full: the peak is {}% of its {}GB. {} or {} make room.",
                    id, fixed1(peak / bytes * 100), fixed1(bytes / kGiB),
                    link_to("https://pytorch.org/docs/stable/checkpoint.html", "Checkpointing"),
                    link_to("https://pytorch.org/docs/stable/amp.html", "mixed precision")));
    return;
  }
}

}  // namespace

std::string joined_ids(const std::vector<std::int64_t>& ids) {
  std::string list;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::string_view glue = i == 0 ? "" : i + 1 == ids.size() ? "and " : ", ";
    list += fmt::format("{}{}", glue, ids[i]);
  }
  return list;
}

std::string recommendations(const Profile& profile) {
  Lines lines;
  advise_data_loading(profile, lines);
  advise_data_parallel(profile, lines);
  advise_backend(profile, lines);
  advise_communication(profile, lines);
  advise_utilization(profile, lines);
  advise_tensor_cores(profile, lines);
  advise_memory(profile, lines);
  if (lines.empty()) lines.emplace_back("N/A");
  std::string list = "<ul>";
  for (const std::string& line : lines) list += fmt::format("<li>{}</li>", line);
  return list + "</ul>";
}

}  // namespace strobe::tensorboard
