#include "strobe/tensorboard/profile.h"

#include <map>

#include "strobe/tensorboard/backward_modules.h"
#include "strobe/tensorboard/devices.h"
#include "strobe/tensorboard/event_types.h"
#include "strobe/tensorboard/linking.h"
#include "strobe/tensorboard/tensor_cores.h"

namespace strobe::tensorboard {
namespace {

std::vector<std::string> views_of(const Profile& profile) {
  std::vector<std::string> views{"Overview", "Operator"};
  if (profile.has_kernel()) views.emplace_back("Kernel");
  views.emplace_back("Trace");
  if (profile.has_memory()) views.emplace_back("Memory");
  if (!profile.modules.empty()) {
    views.emplace_back(profile.events.is_lightning ? "Lightning" : "Module");
  }
  return views;
}

void add_tensor_core_ratios(Profile& profile) {
  const auto ratios =
      tensor_core_ratios(profile.forest(), profile.events, profile.order, profile.rules());
  if (ratios.empty()) return;
  for (DeviceMetrics& device : profile.device_report.devices) {
    const auto known = ratios.find(device.device);
    device.tensor_core_ratio = known == ratios.end() ? Number::real(0) : known->second;
  }
}

}  // namespace

Result<std::shared_ptr<const Profile>> read_profile(std::string_view json,
                                                    const ProfileOptions& options) {
  STROBE_TRY(RawEvents raw, read_events(json));
  auto profile = std::make_shared<Profile>();
  profile->options = options;
  if (options.variant == Variant::kByContent) profile->options.variant = variant_of(raw);
  const VariantRules& rules = profile->rules();

  profile->events = settle(std::move(raw), profile->options);
  Events& events = profile->events;
  profile->device_kind = device_kind(events.device_properties, rules.kind_rule);
  if (rules.repairs_gpu_links && profile->device_kind == DeviceKind::kGpu) {
    link_all_by_nesting(events);
  }
  if (options.link_by_nesting) link_repeated_correlations(events);
  profile->links = link(events, rules.variant);
  build_trees(profile->links, events, rules);
  add_backward_modules(profile->links, events, rules);
  const Forest& forest = profile->forest();
  profile->order = tree_order(forest, events);

  profile->roles = find_roles(events, profile->links, rules);
  profile->steps = find_steps(events, forest, rules);
  profile->costs = count_costs(profile->steps, profile->roles);
  profile->device_report = measure_devices(events, profile->steps);
  add_tensor_core_ratios(*profile);

  profile->operators = group_operators(forest, events, profile->order.operators);
  profile->kernels = kernels_by_name(events, rules);
  profile->launched_kernels =
      kernels_by_launch(forest, events, profile->order.kernels, rules, profile->launch_columns());
  profile->tensor_core_used_ratio = tensor_core_used_ratio(profile->kernels);
  profile->tensor_core_eligible_ratio = tensor_core_eligible_ratio(forest, events);
  profile->memory = place_memory_records(forest, events);
  profile->modules = find_modules(forest, events);
  profile->views = views_of(*profile);
  return std::shared_ptr<const Profile>(std::move(profile));
}

}  // namespace strobe::tensorboard
