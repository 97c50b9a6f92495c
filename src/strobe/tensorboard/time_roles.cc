#include "strobe/tensorboard/time_roles.h"

#include <optional>

namespace strobe::tensorboard {
namespace {

std::optional<Role> role_of(const Event& event, const Events& events, const Links& links,
                            const VariantRules& rules) {
  const auto communicates = [&] { return links.comm_node(event.ext) != nullptr; };
  switch (event.type) {
    case EventType::kKernel:
      return communicates() ? Role::kCommunication : Role::kKernel;
    case EventType::kMemcpy:
      return rules.copies_communicate && communicates() ? Role::kCommunication : Role::kMemcpy;
    case EventType::kMemset:
      return Role::kMemset;
    case EventType::kRuntime:
      return Role::kRuntime;
    case EventType::kPython:
    case EventType::kOperator:
    case EventType::kUserAnnotation:
      break;
    default:
      return std::nullopt;
  }
  const std::string_view name = events.text(event.name);
  if (comm_library(name, rules.variant) != CommLibrary::kNone) return Role::kCommunication;
  if (event.type != EventType::kPython && is_data_loader(name)) return Role::kDataLoader;
  return Role::kCpuExec;
}

}  // namespace

std::string_view role_name(Role role) {
  switch (role) {
    case Role::kKernel:
      return "Kernel";
    case Role::kMemcpy:
      return "Memcpy";
    case Role::kMemset:
      return "Memset";
    case Role::kCommunication:
      return "Communication";
    case Role::kRuntime:
      return "Runtime";
    case Role::kDataLoader:
      return "DataLoader";
    case Role::kCpuExec:
      return "CPU Exec";
    case Role::kOther:
      break;
  }
  return "Other";
}

TimeRoles find_roles(const Events& events, const Links& links, const VariantRules& rules) {
  TimeRoles roles;
  for (const Event& event : events.all) {
    if (const auto role = role_of(event, events, links, rules)) {
      roles.ranges[static_cast<std::size_t>(*role)].push_back({event.start(), event.end()});
    }
  }
  for (Ranges& ranges : roles.ranges) ranges = merge(std::move(ranges));
  return roles;
}

}  // namespace strobe::tensorboard
