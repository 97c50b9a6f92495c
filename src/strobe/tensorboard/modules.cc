#include "strobe/tensorboard/modules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace strobe::tensorboard {
namespace {

// A module from the events, before its calls are counted.
struct Module {
  StringId name;
  std::int64_t id = 0;
  std::vector<std::size_t> children;
};

struct Hierarchy {
  std::vector<Module> modules;
  std::vector<std::size_t> roots;
};

// Python frames are numbered; the outermost frame has no parent.
using FrameId = std::optional<std::int64_t>;

// A map that keeps the insertion order of its keys.
template <class Value>
class Registry {
 public:
  Value& at(const FrameId& key) {
    const auto [place, is_new] = places_.emplace(key, entries_.size());
    if (is_new) entries_.emplace_back(key, Value());
    return entries_[place->second].second;
  }
  const std::vector<std::pair<FrameId, Value>>& entries() const { return entries_; }

 private:
  std::map<FrameId, std::size_t> places_;
  std::vector<std::pair<FrameId, Value>> entries_;
};

struct FrameParent {
  FrameId parent;
};

class FrameWalk {
 public:
  explicit FrameWalk(const Events& events) : events_(events) {
    Registry<bool> has_child;
    for (const Event& event : events.all) {
      if (event.type != EventType::kPythonFunction && event.type != EventType::kModule) continue;
      const PythonArgs& args = events.python(event);
      frames_[args.id] = &event;
      has_child.at(args.id);
      has_child.at(args.parent_id) = true;
    }
    for (const auto& [id, is_parent] : has_child.entries()) {
      if (!is_parent) climb(id);
    }
  }

  // Every module below the nearest module above it, in order of registration; no parent: a root.
  const Registry<FrameParent>& parents() const { return parents_; }
  const Event& frame(const FrameId& id) const { return *frames_.at(id); }
  std::int64_t module_id(const FrameId& id) const {
    return events_.python(frame(id)).module_id.value_or(0);
  }

 private:
  void climb(FrameId id) {
    const Event* module = nullptr;  // the last one seen
    for (auto frame = frames_.find(id); frame != frames_.end(); frame = frames_.find(id)) {
      const Event& event = *frame->second;
      const PythonArgs& args = events_.python(event);
      if (event.type == EventType::kModule) {
        if (module != nullptr) parents_.at(events_.python(*module).id).parent = args.id;
        module = &event;
        parents_.at(args.id);
      }
      if (!seen_.emplace(args.id, module).second) return;
      id = args.parent_id;
    }
  }

  const Events& events_;
  std::map<FrameId, const Event*> frames_;
  Registry<FrameParent> parents_;
  std::set<std::pair<FrameId, const Event*>> seen_;
};

// Equal trees get equal numbers: name, id and the numbers of the children.
class TreeNumbers {
 public:
  std::size_t number(const Module& module, std::vector<std::size_t> children) {
    return numbers_
        .emplace(std::tuple(module.name, module.id, std::move(children)), numbers_.size())
        .first->second;
  }

 private:
  std::map<std::tuple<StringId, std::int64_t, std::vector<std::size_t>>, std::size_t> numbers_;
};

// The rows of each root's tree in turn, parents before their children.
Hierarchy build_trees_of_modules(const FrameWalk& frames) {
  std::map<FrameId, std::vector<FrameId>> children;
  std::vector<FrameId> roots;
  for (const auto& [id, above] : frames.parents().entries()) {
    if (above.parent) {
      children[above.parent].push_back(id);
    } else {
      roots.push_back(id);
    }
  }

  Hierarchy hierarchy;
  auto& modules = hierarchy.modules;
  TreeNumbers numbers;
  std::set<std::size_t> kept;
  for (const FrameId& root : roots) {
    const std::size_t first = modules.size();
    std::vector<FrameId> ids = {root};
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const Event& event = frames.frame(ids[i]);
      Module module{event.name, frames.module_id(ids[i]), {}};
      for (const FrameId& child : children[ids[i]]) {
        module.children.push_back(first + ids.size());
        ids.push_back(child);
      }
      modules.push_back(std::move(module));
    }
    std::vector<std::size_t> own_numbers(ids.size());
    for (std::size_t i = ids.size(); i-- > 0;) {
      std::vector<std::size_t> below;
      for (const std::size_t child : modules[first + i].children) {
        below.push_back(own_numbers[child - first]);
      }
      own_numbers[i] = numbers.number(modules[first + i], std::move(below));
    }
    if (kept.insert(own_numbers.front()).second) {
      hierarchy.roots.push_back(first);
    } else {
      modules.resize(first);
    }
  }
  return hierarchy;
}

// Lightning names its modules by their path: a.b is called by a.
Hierarchy read_lightning_names(const Events& events) {
  Hierarchy hierarchy;
  std::map<std::string_view, std::size_t> by_name;
  for (const Event& event : events.all) {
    if (event.type != EventType::kLightningModule) continue;
    if (by_name.emplace(events.text(event.name), hierarchy.modules.size()).second) {
      hierarchy.modules.push_back({event.name, 0, {}});
    }
  }
  for (std::size_t row = 0; row < hierarchy.modules.size(); ++row) {
    const std::string_view name = events.text(hierarchy.modules[row].name);
    const std::size_t dot = name.rfind('.');
    const auto parent =
        dot == std::string_view::npos ? by_name.end() : by_name.find(name.substr(0, dot));
    if (parent == by_name.end()) {
      hierarchy.roots.push_back(row);
    } else {
      hierarchy.modules[parent->second].children.push_back(row);
    }
  }
  return hierarchy;
}

using StatsByModule = std::map<std::pair<StringId, std::int64_t>, ModuleStats>;

StatsByModule count_calls(const Forest& forest, const Events& events, NodeClass wanted) {
  StatsByModule stats;
  const auto count = [&](const Node& node) {
    const std::int64_t id =
        wanted == NodeClass::kModule ? events.python(events[node.event]).module_id.value_or(0) : 0;
    ModuleStats& module = stats[{node.name, id}];
    ++module.calls;
    for (const NodeId child : node.children) module.operators += is_operator(forest[child], events);
    module.host_total += node.host_total();
    module.host_self += node.host_self;
    module.device_total += node.device_total;
    module.device_self += node.device_self;
  };
  for (const Tree& tree : forest.trees) {
    walk(
        forest, tree.root,
        [&](NodeId id) {
          const Node& node = forest[id];
          if (node.node_class == NodeClass::kBackward) return false;
          if (node.node_class == wanted) count(node);
          return true;
        },
        [](NodeId) {});
  }
  return stats;
}

std::string shown_name(std::string_view name) {
  constexpr std::string_view kNoise = "nn.Module: ";
  std::string shown(name);
  for (std::size_t at = shown.find(kNoise); at != std::string::npos; at = shown.find(kNoise, at)) {
    shown.erase(at, kNoise.size());
  }
  return shown;
}

}  // namespace

ModuleTable find_modules(const Forest& forest, const Events& events) {
  const Hierarchy hierarchy = events.is_lightning ? read_lightning_names(events)
                                                  : build_trees_of_modules(FrameWalk(events));
  const StatsByModule stats = count_calls(
      forest, events, events.is_lightning ? NodeClass::kLightningModule : NodeClass::kModule);

  ModuleTable table;
  for (const Module& module : hierarchy.modules) {
    const auto counted = stats.find({module.name, module.id});
    table.rows.push_back({shown_name(events.text(module.name)), module.id,
                          counted == stats.end() ? ModuleStats() : counted->second,
                          module.children});
  }
  table.roots = hierarchy.roots;
  std::ranges::stable_sort(
      table.roots, {}, [&](std::size_t row) -> const std::string& { return table.rows[row].name; });
  return table;
}

}  // namespace strobe::tensorboard
