#include "strobe/tensorboard/distributed_view.h"

#include <charconv>
#include <map>
#include <set>

#include "strobe/tensorboard/device_info.h"
#include "strobe/tensorboard/worker_name.h"

namespace strobe::tensorboard {
namespace {

void write_device(JsonWriter& json, const DeviceInfo& info) {
  json.begin_object();
  if (info.name) json.member("Name", *info.name);
  if (info.memory) json.member("Memory", *info.memory);
  if (info.memory_raw) json.member("Memory Raw", *info.memory_raw);
  if (info.compute_capability) json.member("Compute Capability", *info.compute_capability);
  json.end_object();
}

// Processes that used devices: their numbers, as far as the trace describes these.
std::set<std::size_t> used_devices(const Profile& profile) {
  std::set<std::size_t> devices;
  for (const std::string& pid : profile.links.device_pids) {
    std::size_t device = 0;
    const auto [end, error] = std::from_chars(pid.data(), pid.data() + pid.size(), device);
    const bool is_number = error == std::errc() && end == pid.data() + pid.size();
    if (is_number && device < profile.events.device_properties->size()) devices.insert(device);
  }
  return devices;
}

}  // namespace

Answer answer_device_info(const SpanCommunication& span) {
  std::map<std::string, std::map<std::string, const Profile*>> nodes;  // then by process
  std::size_t unnumbered = 0;
  for (const WorkerCommunication& worker : span.workers) {
    const auto& properties = worker.profile->events.device_properties;
    if (!properties || properties->empty()) continue;
    const auto name = split_worker_name(worker.worker);
    if (name) {
      nodes[name->node][name->process] = worker.profile;
    } else {
      nodes[worker.worker][std::to_string(unnumbered++)] = worker.profile;
    }
  }
  if (nodes.empty()) return no_data();

  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  json.key("metadata").begin_object().member("title", "Device Information").end_object();
  json.key("data").begin_object();
  for (const auto& [node, processes] : nodes) {
    json.key(node).begin_object();
    for (const auto& [process, profile] : processes) {
      json.key("Process " + process).begin_object();
      for (const std::size_t device : used_devices(*profile)) {
        json.key(std::string(device_word(profile->device_kind)) + std::to_string(device));
        const DeviceProperties& properties = (*profile->events.device_properties)[device];
        write_device(json, describe_device(properties, profile->rules()));
      }
      json.end_object();
    }
    json.end_object();
  }
  json.end_object().end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
