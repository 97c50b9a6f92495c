#include "strobe/analysis/tables/modules.h"
#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {
namespace {

// A row in front of its children, and a mark where a row ends: the depth of a model is the trace's
// to choose, so nothing here recurses.
struct Visit {
  const analysis::ModuleRow* row = nullptr;
  bool is_end = false;
};

void push_all(const std::vector<analysis::ModuleRow>& rows, std::vector<Visit>& visits) {
  for (auto row = rows.rbegin(); row != rows.rend(); ++row) visits.push_back({&*row});
}

}  // namespace

Result<std::string> modules_answer(const Query&, const OpenTrace& open) {
  const std::vector<analysis::ModuleRow> modules = analysis::list_modules(open.attributed());
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("modules").begin_array();
  std::vector<Visit> visits;
  push_all(modules, visits);
  while (!visits.empty()) {
    const Visit visit = visits.back();
    visits.pop_back();
    if (visit.is_end) {
      json.end_array().end_object();
      continue;
    }
    const analysis::ModuleRow& row = *visit.row;
    json.begin_object()
        .member("name", row.name)
        .member("calls", row.calls)
        .member("host_ns", row.host_ns)
        .member("host_self_ns", row.host_self_ns)
        .member("device_ns", row.device_ns)
        .member("device_self_ns", row.device_self_ns)
        .member("first_slice", row.first.value);
    json.key("children").begin_array();
    visits.push_back({&row, true});
    push_all(row.children, visits);
  }
  json.end_array().end_object();
  return out;
}

}  // namespace strobe::serve
