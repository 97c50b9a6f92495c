#include <set>

#include <fmt/format.h>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/devices.h"
#include "strobe/tensorboard/words.h"

namespace strobe::tensorboard {
namespace {

std::vector<Role> shown_roles(const Profile& profile) {
  std::vector<Role> roles;
  const auto show_if = [&](bool is_shown, Role role) {
    if (is_shown) roles.push_back(role);
  };
  show_if(profile.shows_device(), Role::kKernel);
  show_if(profile.shows_device(), Role::kMemcpy);
  show_if(profile.shows_device(), Role::kMemset);
  show_if(profile.has_communication(), Role::kCommunication);
  show_if(profile.shows_device(), Role::kRuntime);
  roles.insert(roles.end(), {Role::kDataLoader, Role::kCpuExec, Role::kOther});
  return roles;
}

Number percent_of(Number part, Number whole) {
  return round2(ratio(Number::whole(100) * part, whole));
}

void write_step_columns(JsonWriter& json, const std::vector<Role>& roles) {
  json.key("columns").begin_array();
  write_column(json, "string", "Step");
  for (const Role role : roles) {
    write_column(json, "number", role_name(role));
    json.begin_object().member("type", "string").member("role", "tooltip");
    json.key("p").begin_object().member("html", "true").end_object().end_object();
  }
  json.end_array();
}

void write_steps(JsonWriter& json, const Profile& profile, const std::vector<Role>& roles) {
  json.key("steps").begin_object();
  write_step_columns(json, roles);
  json.key("rows").begin_array();
  for (std::size_t i = 0; i < profile.steps.all.size(); ++i) {
    const std::string& name = profile.steps.all[i].name;
    const StepCosts& costs = profile.costs.steps[i];
    json.begin_array().value(name);
    for (const Role role : roles) {
      json.value(costs[role]);
      json.value(fmt::format(
          "<div class=\"visualization-tooltip\" style=\"white-space: nowrap;\">Step {}<br>Total: "
          "{}us<br><b>{}: {}us</b><br>Percentage: {}%</div>",
          name, to_text(costs.total), role_name(role), to_text(costs[role]),
          to_text(percent_of(costs[role], costs.total))));
    }
    json.end_array();
  }
  json.end_array().end_object();
}

void write_performance(JsonWriter& json, const Profile& profile, const std::vector<Role>& roles) {
  const StepCosts& average = profile.costs.average;
  json.key("performance").begin_array().begin_object();
  json.member("name", "Average Step Time").member("description", "");
  json.member("value", round_to_whole(average.total)).member("extra", 100);
  json.key("children").begin_array();
  for (const Role role : roles) {
    json.begin_object().member("name", role_name(role)).member("description", "");
    json.member("value", round_to_whole(average[role]));
    json.member("extra", percent_of(average[role], average.total)).end_object();
  }
  json.end_array().end_object().end_array();
}

void write_fact(JsonWriter& json, std::string_view title, std::string_view value) {
  json.begin_object().member("title", title).member("value", value).end_object();
}

void write_environments(JsonWriter& json, const Question& question) {
  std::set<std::string_view> workers;
  for (const WorkerProfile& worker : question.run.profiles) workers.insert(worker.worker);
  const Profile& profile = question.profile;
  json.key("environments").begin_array();
  write_fact(json, "Number of Worker(s)", std::to_string(workers.size()));
  write_fact(json, "Device Type",
             profile.shows_device() && profile.device_kind != DeviceKind::kNone
                 ? device_word(profile.device_kind)
                 : "CPU");
  json.end_array();
}

void write_properties(JsonWriter& json, const DeviceInfo& device) {
  if (device.name) write_fact(json, "Name", *device.name);
  if (device.memory) write_fact(json, "Memory", *device.memory);
  if (device.compute_capability) write_fact(json, "Compute Capability", *device.compute_capability);
}

void write_percent(JsonWriter& json, std::string_view title, Number percent) {
  write_fact(json, title, to_text(round2(percent)) + " %");
}

// The optional rows that any device had.
struct ShownMetrics {
  bool sm_efficiency = false;
  bool occupancy = false;
  bool tensor_cores = false;
};

void write_device_use(JsonWriter& json, const Profile& profile, const DeviceMetrics& device,
                      ShownMetrics& shown) {
  const std::string_view word = device_word(profile.device_kind);
  const Number hundred = Number::whole(100);
  write_fact(json, fmt::format("{} {}:", word, device.device), "");
  if (const DeviceProperties* const properties = properties_of(profile.events, device.device)) {
    write_properties(json, describe_device(*properties, profile.rules()));
  }
  write_percent(json, fmt::format("{} Utilization", word), device.utilization * hundred);
  if (profile.rules().mlu_summary_is_short && profile.device_kind != DeviceKind::kGpu) return;
  if (device.sm_efficiency) {
    write_percent(json, "Est. SM Efficiency", *device.sm_efficiency * hundred);
    shown.sm_efficiency = true;
  }
  if (device.occupancy_percent) {
    write_percent(json, "Est. Achieved Occupancy", *device.occupancy_percent);
    shown.occupancy = true;
  }
  if (device.tensor_core_ratio) {
    write_percent(json, "Kernel Time using Tensor Cores", *device.tensor_core_ratio * hundred);
    shown.tensor_cores = true;
  }
}

// The texts were written for GPUs.
std::string said_of(DeviceKind kind, std::string text) {
  if (kind != DeviceKind::kMlu) return text;
  constexpr std::string_view kGpu = "GPU";
  for (std::size_t at = text.find(kGpu); at != std::string::npos; at = text.find(kGpu, at)) {
    text.replace(at, kGpu.size(), device_word(kind));
  }
  return text;
}

std::string metrics_tooltip(const Profile& profile, const ShownMetrics& shown) {
  std::string text = fmt::format("{}\n\n{}", words::kSummaryHead, words::kUtilization);
  if (shown.sm_efficiency) text += fmt::format("\n\n{}", words::kSmEfficiency);
  if (shown.occupancy) text += fmt::format("\n\n{}", words::kOccupancy);
  if (shown.tensor_cores) {
    text += fmt::format("\n\n{}{}", words::kTensorCoreTime, profile.rules().tensor_core_time_note);
  }
  return said_of(profile.device_kind, text) + "\n";
}

void write_metrics(JsonWriter& json, const Profile& profile) {
  if (profile.device_report.devices.empty()) return;
  ShownMetrics shown;
  json.key(profile.rules().metrics_key).begin_object();
  json.member("title", fmt::format("{} Summary", device_word(profile.device_kind)));
  json.key("data").begin_array();
  for (const DeviceMetrics& device : profile.device_report.devices) {
    if (&device != &profile.device_report.devices.front()) write_fact(json, "<hr/>", "");
    write_device_use(json, profile, device, shown);
  }
  json.end_array().member("tooltip", metrics_tooltip(profile, shown)).end_object();
}

}  // namespace

Answer answer_overview(const Question& question) {
  const Profile& profile = question.profile;
  const std::vector<Role> roles = shown_roles(profile);
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  write_steps(json, profile, roles);
  write_performance(json, profile, roles);
  json.member("recommendations", recommendations(profile));
  write_environments(json, question);
  write_metrics(json, profile);
  json.end_object();
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
