#include <algorithm>
#include <set>

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/words.h"

namespace strobe::tensorboard {
namespace {

using Groups = std::vector<OperatorGroup>;

bool is_by_shape(const Question& question) {
  return question.parameter("group_by") == "OperationAndInputShape";
}

const Groups& groups_of(const Question& question) {
  const OperatorGroups& operators = question.profile.operators;
  return is_by_shape(question) ? operators.by_shape : operators.by_name;
}

std::vector<const OperatorGroup*> descending(const Groups& groups, Number OperatorGroup::*value) {
  std::vector<const OperatorGroup*> sorted;
  for (const OperatorGroup& group : groups) sorted.push_back(&group);
  std::ranges::stable_sort(sorted, [&](const OperatorGroup* a, const OperatorGroup* b) {
    return a->*value > b->*value;
  });
  return sorted;
}

void write_chart(JsonWriter& json, std::string_view key, std::string_view title,
                 const Question& question, Number OperatorGroup::*value) {
  json.key(key);
  std::vector<const OperatorGroup*> rows = descending(groups_of(question), value);
  std::erase_if(rows, [&](const OperatorGroup* group) { return !((group->*value).value > 0); });
  if (rows.empty()) {
    json.null();
    return;
  }
  json.begin_object().member("title", title);
  write_pie_columns(json);
  json.key("rows").begin_array();
  for (const OperatorGroup* group : rows) {
    json.begin_array();
    json.value(question.profile.events.text(group->name)).value(group->*value).end_array();
  }
  json.end_array().end_object();
}

Number percent(Number part, Number all) {
  if (!(all.value > 0)) return Number::whole(0);
  return round2(ratio(part, all) * Number::whole(100));
}

// One table of operators; write_last(group) adds what differs.
template <class WriteLast>
Answer table_of(const Question& question, const Groups& groups, WriteLast&& write_last) {
  const Profile& profile = question.profile;
  const bool has_device = profile.has_device_work();
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object().key("metadata").begin_object();
  json.member("sort", has_device ? "device_self_duration" : "host_self_duration");
  json.key("tooltips").begin_object().member("tc_eligible", words::kEligible);
  json.member("tc_self_ratio", words::kSelfRatio).member("tc_total_ratio", words::kTotalRatio);
  json.end_object().end_object().key("data").begin_array();
  for (const OperatorGroup* group :
       descending(groups, has_device ? &OperatorGroup::device_self : &OperatorGroup::host_self)) {
    json.begin_object().member("name", profile.events.text(group->name));
    if (is_by_shape(question)) json.member("input_shape", group->input_shape);
    json.member("calls", group->calls);
    if (has_device) {
      json.member("device_self_duration", round_to_whole(group->device_self));
      json.member("device_total_duration", round_to_whole(group->device_total));
    }
    json.member("host_self_duration", round_to_whole(group->host_self));
    json.member("host_total_duration", round_to_whole(group->host_total));
    json.member("tc_eligible", group->is_eligible ? "Yes" : "No");
    json.member("tc_self_ratio", percent(group->tensor_core_self, group->device_self));
    json.member("tc_total_ratio", percent(group->tensor_core_total, group->device_total));
    write_last(json, *group);
    json.end_object();
  }
  json.end_array().end_object();
  return json_answer(std::move(body));
}

}  // namespace

Answer answer_operation(const Question& question) {
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_object();
  write_chart(json, "device_total_time", "Device Total Time (us)", question,
              &OperatorGroup::device_total);
  write_chart(json, "device_self_time", "Device Self Time (us)", question,
              &OperatorGroup::device_self);
  write_chart(json, "host_total_time", "Host Total Time (us)", question,
              &OperatorGroup::host_total);
  write_chart(json, "host_self_time", "Host Self Time (us)", question, &OperatorGroup::host_self);
  json.end_object();
  return json_answer(std::move(body));
}

Answer answer_operation_table(const Question& question) {
  const OperatorGroups& operators = question.profile.operators;
  std::set<std::pair<StringId, std::string_view>> with_stack;
  if (is_by_shape(question)) {
    for (const OperatorGroup& group : operators.by_shape_and_stack) {
      with_stack.emplace(group.name, group.input_shape);
    }
  } else {
    for (const OperatorGroup& group : operators.by_name_and_stack) {
      with_stack.emplace(group.name, std::string_view());
    }
  }
  return table_of(question, groups_of(question), [&](JsonWriter& json, const OperatorGroup& group) {
    const std::string_view shape =
        is_by_shape(question) ? std::string_view(group.input_shape) : std::string_view();
    json.member("has_call_stack", with_stack.contains({group.name, shape}));
  });
}

Answer answer_operation_stack(const Question& question) {
  const std::string_view name = question.parameter("op_name");
  if (name.empty()) return refused(400, "the parameter 'op_name' is missing");
  const Events& events = question.profile.events;
  const OperatorGroups& operators = question.profile.operators;
  Groups groups =
      is_by_shape(question) ? operators.by_shape_and_stack : operators.by_name_and_stack;
  std::erase_if(groups, [&](const OperatorGroup& group) {
    return events.text(group.name) != name ||
           (is_by_shape(question) && group.input_shape != question.parameter("input_shape"));
  });
  if (groups.empty()) return refused(404, "no call stack of such an operator was recorded");
  return table_of(question, groups, [&](JsonWriter& json, const OperatorGroup& group) {
    json.member("call_stack", events.text(group.call_stack));
  });
}

}  // namespace strobe::tensorboard
