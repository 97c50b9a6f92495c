#include <utility>

#include "strobe/tensorboard/answer.h"

namespace strobe::tensorboard {
namespace {

constexpr std::pair<std::string_view, std::string_view> kModuleColumns[] = {
    {"Module Name", "name"},
    {"Occurences", "occurences"},
    {"Operators", "operators"},
    {"Host Total Time", "host_duration"},
    {"Host Self Time", "self_host_duration"},
    {"Device Total Time", "device_duration"},
    {"Device Self Time", "self_device_duration"},
};

void write_module_columns(JsonWriter& json) {
  json.begin_array();
  for (const auto& [name, key] : kModuleColumns) {
    json.begin_object().member("name", name);
    json.member("type", key == "name" ? "string" : "number").member("key", key).end_object();
  }
  json.end_array();
}

Number time_per_call(const ModuleStats& stats) {
  const Number calls = Number::whole(static_cast<double>(stats.calls));
  const Number device = ratio(stats.device_total, calls);
  return device.value > 0 ? device : ratio(stats.host_total, calls);
}

void begin_row(JsonWriter& json, const ModuleRow& row) {
  json.begin_object().member("name", row.name).member("id", row.id);
  json.member("occurences", row.stats.calls).member("operators", row.stats.operators);
  json.member("host_duration", row.stats.host_total);
  json.member("self_host_duration", row.stats.host_self);
  json.member("device_duration", row.stats.device_total);
  json.member("self_device_duration", row.stats.device_self);
  json.member("avg_duration", time_per_call(row.stats));
  json.key("children").begin_array();
}

void write_rows(JsonWriter& json, const ModuleTable& modules) {
  json.begin_array();
  for (const std::size_t root : modules.roots) {
    std::vector<std::pair<std::size_t, std::size_t>> open;  // row, next child
    begin_row(json, modules.rows[root]);
    open.emplace_back(root, 0);
    while (!open.empty()) {
      auto& [row, next] = open.back();
      const auto& children = modules.rows[row].children;
      if (next < children.size()) {
        const std::size_t child = children[next++];
        begin_row(json, modules.rows[child]);
        open.emplace_back(child, 0);
      } else {
        json.end_array().end_object();
        open.pop_back();
      }
    }
  }
  json.end_array();
}

}  // namespace

Answer answer_module(const Question& question) {
  const ModuleTable& modules = question.profile.modules;
  if (modules.empty()) return refused(404, "this trace has no modules");
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  write_module_columns(json.key("columns"));
  write_rows(json.key("data"), modules);
  json.end_object();
  return json_answer(std::move(body));
}

Answer answer_tree(const Question& question) {
  const Profile& profile = question.profile;
  const Forest& forest = profile.forest();
  const auto& trees = profile.events.is_lightning ? forest.lightning_trees : forest.trees;
  if (trees.empty()) return refused(404, "this trace has no operators");

  std::string body;
  JsonWriter json = answer_writer(body);
  const auto write_time = [&](std::string_view key, const Node& node, Number time) {
    if (node.has_times) {
      json.member(key, time);
    } else {
      json.key(key).null();
    }
  };
  walk(
      forest, trees.front().root,
      [&](NodeId id) {
        const Node& node = forest[id];
        json.begin_object().member("name", profile.events.text(node.name));
        write_time("start_time", node, node.start);
        write_time("end_time", node, node.end);
        json.member("type", type_name(node.type));
        json.key("tid").raw(profile.events.text(node.tid));
        json.key("children").begin_array();
        return true;
      },
      [&](NodeId) { json.end_array().end_object(); });
  return json_answer(std::move(body));
}

}  // namespace strobe::tensorboard
