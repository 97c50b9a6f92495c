#include "strobe/tensorboard/answer.h"

namespace strobe::tensorboard {

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
