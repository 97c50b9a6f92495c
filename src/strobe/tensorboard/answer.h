#pragma once

#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/tensorboard/profile.h"
#include "strobe/tensorboard/recommendations.h"
#include "strobe/tensorboard/views.h"

// Shared by the files of the views: the question, and the ways to answer. A view is one function
// and one line in the table of answer.cc.
namespace strobe::tensorboard {

struct Question {
  const Run& run;
  const WorkerProfile& worker;  // for views of one worker
  const Profile& profile;       // of that worker
  const Parameters& parameters;

  // "" if it is not given.
  std::string_view parameter(std::string_view name) const;
};

// As Python's json.dumps writes.
inline JsonWriter answer_writer(std::string& body) {
  return JsonWriter(body, JsonLayout::kSpacedAscii);
}

Answer json_answer(std::string body);
Answer no_data();                                // null: the trace has no data for the view
Answer refused(int status, std::string reason);  // 400, 404; a small page for people

// {"type": ..., "name": ...} and, unless it is empty, the tooltip.
void write_column(JsonWriter& json, std::string_view type, std::string_view name,
                  std::string_view tooltip = {});
// The columns of a pie: name and value.
void write_pie_columns(JsonWriter& json);

Answer answer_overview(const Question& question);
Answer answer_operation(const Question& question);
Answer answer_operation_table(const Question& question);
Answer answer_operation_stack(const Question& question);
Answer answer_kernel(const Question& question);
Answer answer_kernel_table(const Question& question);
Answer answer_kernel_tc_pie(const Question& question);
Answer answer_trace(const Question& question);
Answer answer_memory(const Question& question);
Answer answer_memory_curve(const Question& question);
Answer answer_memory_events(const Question& question);
Answer answer_module(const Question& question);
Answer answer_tree(const Question& question);
Answer answer_diff(const Profile& left, const Profile& right);
Answer answer_diffnode(const Profile& left, const Profile& right, std::string_view path);

// Escapes a text for use in a page.
std::string html_text(std::string_view text);

}  // namespace strobe::tensorboard
