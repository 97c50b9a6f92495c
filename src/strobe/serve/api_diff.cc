#include <algorithm>
#include <cmath>

#include "strobe/compare/side_by_side.h"
#include "strobe/report/summary/step_label_text.h"
#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

constexpr std::size_t kMostRows = 1000;

void write_side(std::string_view key, const OpenTrace& open, const compare::Side& side,
                JsonWriter& json) {
  json.key(key)
      .begin_object()
      .member("trace", open.name())
      .member("steps", side.steps)
      .member("step_ns", std::llround(side.step.average_ns))
      .member("low_ns", side.step.low_ns)
      .member("high_ns", side.step.high_ns)
      .end_object();
}

bool has_device(const compare::Side& side) {
  constexpr auto kFirstOnHost = static_cast<std::size_t>(analysis::StepLabel::kRuntime);
  return std::any_of(side.label_ns.begin(), side.label_ns.begin() + kFirstOnHost,
                     [](double length_ns) { return length_ns > 0; });
}

void write_labels(const compare::SideBySide& both, std::string_view device, JsonWriter& json) {
  json.key("labels").begin_array();
  for (std::size_t i = 0; i < both.base.label_ns.size(); ++i) {
    if (both.base.label_ns[i] == 0 && both.other.label_ns[i] == 0) continue;
    const auto label = static_cast<analysis::StepLabel>(i);
    json.begin_object()
        .member("name", report::step_label_text(label, device))
        .member("label", analysis::word_of(label))
        .member("base_ns", std::llround(both.base.label_ns[i]))
        .member("other_ns", std::llround(both.other.label_ns[i]))
        .end_object();
  }
  json.end_array();
}

void write_name_side(std::string_view key, const std::optional<compare::NameSide>& side,
                     std::string_view time_key, JsonWriter& json) {
  json.key(key);
  if (!side) {
    json.null();
    return;
  }
  json.begin_object()
      .member("calls", side->calls)
      .member(time_key, std::llround(side->time.average_ns))
      .member("low_ns", side->time.low_ns)
      .member("high_ns", side->time.high_ns)
      .end_object();
}

void write_names(std::string_view key, const std::vector<compare::NameRow>& rows,
                 std::string_view time_key, JsonWriter& json) {
  json.key(key).begin_array();
  for (std::size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
    json.begin_object().member("name", rows[i].name);
    write_name_side("base", rows[i].base, time_key, json);
    write_name_side("other", rows[i].other, time_key, json);
    json.member("beyond_spread", rows[i].beyond_spread).end_object();
  }
  json.end_array();
}

std::size_t left_out(const std::vector<compare::NameRow>& rows) {
  return rows.size() - std::min(rows.size(), kMostRows);
}

}  // namespace

Result<std::string> diff_answer(const OpenTrace& base, const OpenTrace& other) {
  const compare::SideBySide both = compare::put_side_by_side({base.attributed(), base.steps()},
                                                             {other.attributed(), other.steps()});
  const bool on_device = has_device(both.base) || has_device(both.other);
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("per", both.per_step ? "step" : "trace");
  write_side("base", base, both.base, json);
  write_side("other", other, both.other, json);
  write_labels(both, on_device ? std::string_view(base.trace().traits().device_label) : "", json);
  write_names("operators", both.operators, "host_ns", json);
  write_names("kernels", both.kernels, "device_ns", json);
  json.member("operators_left_out", left_out(both.operators))
      .member("kernels_left_out", left_out(both.kernels))
      .end_object();
  return out;
}

}  // namespace strobe::serve
