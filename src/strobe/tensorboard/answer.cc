#include "strobe/tensorboard/answer.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "strobe/tensorboard/distributed_view.h"

namespace strobe::tensorboard {

namespace {

// A view of one worker and span.
struct WorkerRoute {
  std::string_view name;
  Answer (*answer)(const Question& question);
  bool gzip = false;
};

// A view of a whole run, or of two runs.
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
    {"memory", answer_memory, true},
    {"memory_curve", answer_memory_curve, true},
    {"memory_events", answer_memory_events, true},
    {"module", answer_module, true},
    {"tree", answer_tree, true},
};

// Represents all workers of a span together, if these communicate.
constexpr std::string_view kAllWorkers = "All";
constexpr std::string_view kDistributed = "Distributed";

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

std::set<std::string_view> distributed_spans(const Run& run) {
  std::set<std::string_view> spans;
  for (const WorkerProfile& worker : run.profiles) spans.insert(worker.span);
  std::erase_if(spans, [&](std::string_view span) { return !join_workers(run, span); });
  return spans;
}

Answer answer_views(const Run& run, const Parameters&, const RunLookup&) {
  std::set<std::string_view> present;
  if (!distributed_spans(run).empty()) present.insert(kDistributed);
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
  if (view == kDistributed && !distributed_spans(run).empty()) workers.insert(kAllWorkers);
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
  if (name == kAllWorkers) return list_answer(distributed_spans(run));
  std::set<std::string_view> spans;
  for (const WorkerProfile& worker : run.profiles) {
    if (worker.worker == name) spans.insert(worker.span);
  }
  return list_answer(spans);
}

template <Answer (*kAnswer)(const SpanCommunication& span)>
Answer answer_distributed(const Run& run, const Parameters& parameters, const RunLookup&) {
  const auto joined = join_workers(run, given(parameters, "span"));
  return joined ? kAnswer(*joined)
                : refused(404, "the workers of this span share no communication");
}

const WorkerProfile* find_worker(const Run& run, std::string_view name, std::string_view span) {
  const auto found = std::ranges::find_if(run.profiles, [&](const WorkerProfile& candidate) {
    return candidate.worker == name && candidate.span == span;
  });
  return found == run.profiles.end() ? nullptr : &*found;
}

// `run`, `worker` and `span` against `exp_run`, `exp_worker` and `exp_span`.
template <class Compare>
Answer answer_compared(const Run& run, const Parameters& parameters, const RunLookup& runs,
                       Compare&& compare) {
  for (const std::string_view name : {"worker", "span", "exp_run", "exp_worker", "exp_span"}) {
    if (given(parameters, name).empty()) return missing(name);
  }
  const std::shared_ptr<const Run> other = runs(given(parameters, "exp_run"));
  const WorkerProfile* const left =
      find_worker(run, given(parameters, "worker"), given(parameters, "span"));
  const WorkerProfile* const right =
      other ? find_worker(*other, given(parameters, "exp_worker"), given(parameters, "exp_span"))
            : nullptr;
  if (left == nullptr || right == nullptr) return refused(404, "there is no such worker and span");
  return compare(*left->profile, *right->profile);
}

Answer answer_diff_route(const Run& run, const Parameters& parameters, const RunLookup& runs) {
  return answer_compared(run, parameters, runs, answer_diff);
}

Answer answer_diffnode_route(const Run& run, const Parameters& parameters, const RunLookup& runs) {
  const std::string_view path = given(parameters, "path");
  return answer_compared(run, parameters, runs, [&](const Profile& left, const Profile& right) {
    return answer_diffnode(left, right, path.empty() ? "0" : path);
  });
}

constexpr RunRoute kRunRoutes[] = {
    {"views", answer_views},
    {"workers", answer_workers},
    {"spans", answer_spans},
    {"distributed/gpuinfo", answer_distributed<answer_device_info>},
    {"distributed/mluinfo", answer_distributed<answer_device_info>},
    {"distributed/overlap", answer_distributed<answer_overlap>},
    {"distributed/waittime", answer_distributed<answer_wait_time>},
    {"distributed/commops", answer_distributed<answer_operations>},
    {"diff", answer_diff_route, true},
    {"diffnode", answer_diffnode_route, true},
};

Answer answer_worker_route(const WorkerRoute& route, const Run& run, const Parameters& parameters) {
  const std::string_view name = given(parameters, "worker");
  const std::string_view span = given(parameters, "span");
  if (name.empty()) return missing("worker");
  if (name == kAllWorkers) return refused(400, "this view is about one worker");
  const WorkerProfile* const worker = find_worker(run, name, span);
  if (worker == nullptr) {
    return refused(404, fmt::format("worker '{}' has no span '{}'", name, span));
  }
  Answer answer = route.answer(
      {.run = run, .worker = *worker, .profile = *worker->profile, .parameters = parameters});
  answer.gzip = route.gzip && answer.status == 200;
  return answer;
}

}  // namespace

std::vector<std::string_view> routes() {
  std::vector<std::string_view> names;
  for (const WorkerRoute& route : kWorkerRoutes) names.push_back(route.name);
  for (const RunRoute& route : kRunRoutes) names.push_back(route.name);
  return names;
}

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
  Answer answer;
  answer.status = status;
  answer.content_type = "text/html";
  answer.body =
      fmt::format("<!doctype html>\n<title>{}</title>\n<p>{}</p>\n", status, html_text(reason));
  answer.reason = std::move(reason);
  return answer;
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
  const auto* const of_run = std::ranges::find(kRunRoutes, route, &RunRoute::name);
  const auto* const of_worker = std::ranges::find(kWorkerRoutes, route, &WorkerRoute::name);
  if (of_run == std::end(kRunRoutes) && of_worker == std::end(kWorkerRoutes)) {
    return refused(404, fmt::format("there is no view '{}'", route));
  }
  const std::string_view run_name = given(parameters, "run");
  if (run_name.empty()) return missing("run");
  const std::shared_ptr<const Run> run = runs(run_name);
  if (!run) return refused(404, fmt::format("there is no run '{}'", run_name));
  if (of_run == std::end(kRunRoutes)) return answer_worker_route(*of_worker, *run, parameters);
  Answer answer = of_run->answer(*run, parameters, runs);
  answer.gzip = of_run->gzip && answer.status == 200;
  return answer;
}

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace strobe::tensorboard
