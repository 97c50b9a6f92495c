#include "strobe/tensorboard/answer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "strobe/tensorboard/html.h"

namespace strobe::tensorboard {
namespace {

// A view about one worker and span.
struct WorkerRoute {
  std::string_view name;
  Answer (*answer)(const Question& question);
  bool gzip = false;
};

// What is asked of a whole run, or of two.
struct RunRoute {
  std::string_view name;
  Answer (*answer)(const Run& run, const Parameters& parameters, const RunLookup& runs);
  bool gzip = false;
};

constexpr WorkerRoute kWorkerRoutes[] = {
    {"overview", answer_overview},
    {"operation", answer_operation},
    {"operation/table", answer_operation_table},
    {"operation/stack", answer_operation_stack},
    {"kernel", answer_kernel},
    {"kernel/table", answer_kernel_table},
    {"kernel/tc_pie", answer_kernel_tc_pie},
    {"trace", answer_trace, true},
};

constexpr std::string_view kAllWorkers = "All";

constexpr std::string_view kDisplayNames[] = {"Overview",    "Operator", "Kernel", "Trace",
                                              "Distributed", "Memory",   "Module", "Lightning"};

std::string_view given(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string_view() : std::string_view(found->second);
}

// Each text once, quoted, in the order given.
template <class Texts>
Answer list_answer(const Texts& texts) {
  std::string body;
  JsonWriter json = answer_writer(body);
  json.begin_array();
  for (const std::string_view text : texts) json.value(text);
  json.end_array();
  return json_answer(std::move(body));
}

Answer missing(std::string_view parameter) {
  return refused(400, fmt::format("the parameter '{}' is missing", parameter));
}

Answer answer_views(const Run& run, const Parameters&, const RunLookup&) {
  std::set<std::string_view> present;
  for (const WorkerProfile& worker : run.profiles) {
    present.insert(worker.profile->views.begin(), worker.profile->views.end());
  }
  std::vector<std::string_view> views;
  for (const std::string_view view : kDisplayNames) {
    if (present.contains(view)) views.push_back(view);
  }
  return list_answer(views);
}

Answer answer_workers(const Run& run, const Parameters& parameters, const RunLookup&) {
  const std::string_view view = given(parameters, "view");
  if (view.empty()) return missing("view");
  std::set<std::string_view> workers;
  for (const WorkerProfile& worker : run.profiles) {
    if (std::ranges::find(worker.profile->views, view) != worker.profile->views.end()) {
      workers.insert(worker.worker);
    }
  }
  return list_answer(workers);
}

Answer answer_spans(const Run& run, const Parameters& parameters, const RunLookup&) {
  const std::string_view name = given(parameters, "worker");
  if (name.empty()) return missing("worker");
  std::set<std::string_view> spans;
  for (const WorkerProfile& worker : run.profiles) {
    if (worker.worker == name) spans.insert(worker.span);
  }
  return list_answer(spans);
}

constexpr RunRoute kRunRoutes[] = {
    {"views", answer_views},
    {"workers", answer_workers},
    {"spans", answer_spans},
};

Answer answer_worker_route(const WorkerRoute& route, const Run& run, const Parameters& parameters) {
  const std::string_view name = given(parameters, "worker");
  const std::string_view span = given(parameters, "span");
  if (name.empty()) return missing("worker");
  if (name == kAllWorkers) return refused(400, "this view is about one worker");
  const auto worker = std::ranges::find_if(run.profiles, [&](const WorkerProfile& candidate) {
    return candidate.worker == name && candidate.span == span;
  });
  if (worker == run.profiles.end()) {
    return refused(404, fmt::format("worker '{}' has no span '{}'", name, span));
  }
  Answer answer = route.answer(
      {.run = run, .worker = *worker, .profile = *worker->profile, .parameters = parameters});
  answer.gzip = route.gzip && answer.status == 200;
  return answer;
}

}  // namespace

std::string_view Question::parameter(std::string_view name) const {
  return given(parameters, name);
}

Answer json_answer(std::string body) {
  Answer answer;
  answer.body = std::move(body);
  return answer;
}

Answer no_data() { return json_answer("null"); }

Answer refused(int status, std::string reason) {
  return {.status = status,
          .content_type = "text/html",
          .body = fmt::format("<!doctype html>\n<title>{}</title>\n<p>{}</p>\n", status,
                              html_text(reason))};
}

void write_column(JsonWriter& json, std::string_view type, std::string_view name,
                  std::string_view tooltip) {
  json.begin_object().member("type", type).member("name", name);
  if (!tooltip.empty()) json.member("tooltip", tooltip);
  json.end_object();
}

void write_pie_columns(JsonWriter& json) {
  json.key("columns").begin_array();
  write_column(json, "string", "name");
  write_column(json, "number", "value");
  json.end_array();
}

Answer answer(std::string_view route, const Parameters& parameters, const RunLookup& runs) {
  const std::string_view run_name = given(parameters, "run");
  if (run_name.empty()) return missing("run");
  const std::shared_ptr<const Run> run = runs(run_name);
  if (!run) return refused(404, fmt::format("there is no run '{}'", run_name));
  if (const auto* const found = std::ranges::find(kRunRoutes, route, &RunRoute::name);
      found != std::end(kRunRoutes)) {
    Answer answer = found->answer(*run, parameters, runs);
    answer.gzip = found->gzip && answer.status == 200;
    return answer;
  }
  if (const auto* const found = std::ranges::find(kWorkerRoutes, route, &WorkerRoute::name);
      found != std::end(kWorkerRoutes)) {
    return answer_worker_route(*found, *run, parameters);
  }
  return refused(404, fmt::format("there is no view '{}'", route));
}

}  // namespace strobe::tensorboard
