#include "strobe/serve/agent_desk.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/agents/message.h"
#include "strobe/agents/session.h"
#include "strobe/serve/comparison_shelf.h"

namespace strobe::serve {
namespace fs = std::filesystem;
namespace {

constexpr std::chrono::milliseconds kLoadLook{20};
// Loading is the first part of a call, computing the rest.
constexpr double kLoadShare = 0.9;
constexpr std::size_t kMostNamed = 20;

Error unknown_source(std::string what, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = "",
          .hint = std::move(hint)};
}

bool leads_into(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

// Links and ".." resolved, as far as the path exists.
fs::path resolved(const fs::path& path) {
  std::error_code failed;
  fs::path real = fs::weakly_canonical(path, failed);
  return failed ? path.lexically_normal() : real;
}

Error outside(const std::string& typed) {
  return unknown_source(
      fmt::format("'{}' leads outside of the folders that strobe was started with", typed),
      "ask for what `open` lists, or start strobe with another folder");
}

// What a text names: everything of a run is below the folder, or none of it is given.
Result<agents::Source> checked(agents::Source source, const std::vector<FoundTrace>& found,
                               const fs::path& root) {
  for (const FoundTrace& trace : found) {
    if (!leads_into(resolved(trace.path), root)) return outside(trace.name);
    source.traces.push_back(trace.name);
  }
  return source;
}

std::vector<FoundTrace> found_in(ShelfView view) {
  std::vector<FoundTrace> found;
  for (ShelvedTrace& trace : view.traces) found.push_back(std::move(trace.found));
  return found;
}

// Without what only links lead to.
ShelfView inside(ShelfView view, const fs::path& root) {
  std::erase_if(view.traces, [&](const ShelvedTrace& trace) {
    return !leads_into(resolved(trace.found.path), root);
  });
  std::erase_if(view.kernel_files,
                [&](const FoundKernels& file) { return !leads_into(resolved(file.path), root); });
  return view;
}

// A trace, a run or a list of kernels by its name; nothing if there is none.
Result<std::optional<agents::Source>> named(const std::string& name, const ShelfView& view,
                                            const fs::path& root) {
  const auto list = std::ranges::find(view.kernel_files, name, &FoundKernels::name);
  if (list != view.kernel_files.end()) {
    if (!leads_into(resolved(list->path), root)) return outside(name);
    return std::optional(agents::Source{.name = name, .traces = {}, .is_kernel_list = true});
  }
  const std::vector<FoundTrace> found = found_in(view);
  const auto run = find_run("trace", name, found);
  if (!run) return std::optional<agents::Source>();
  STROBE_TRY(agents::Source source, checked({.name = name, .traces = {}}, run->traces, root));
  return std::optional(std::move(source));
}

// The traces that a question is about.
std::vector<std::string> traces_of(const agents::Lab::Parameters& parameters,
                                   const ShelfView& view) {
  const std::vector<FoundTrace> found = found_in(view);
  std::vector<std::string> names;
  for (const std::string_view key : {"trace", "normal", "abnormal", "run"}) {
    const auto [first, last] = parameters.equal_range(key);
    for (auto it = first; it != last; ++it) {
      const auto run = find_run(key, it->second, found);
      if (!run) continue;
      for (const FoundTrace& trace : run->traces) names.push_back(trace.name);
    }
  }
  return names;
}

double progress_of(const ShelfView& view, const std::vector<std::string>& names) {
  double sum = 0;
  for (const ShelvedTrace& trace : view.traces) {
    const bool is_asked = std::ranges::find(names, trace.found.name) != names.end();
    if (is_asked) sum += trace.state == TraceState::kReady ? 1 : trace.progress;
  }
  return names.empty() ? 0 : sum / static_cast<double>(names.size());
}

// Sums over traces that do not belong together would mean nothing.
Result<void> expect_ranks(const ApiQuestion& question, const TraceLookup& traces) {
  const std::vector<std::string> names = question.query.texts("trace");
  if (names.size() < 2) return {};
  ServedRun run;
  for (const ShelvedTrace& trace : question.view.traces) {
    if (std::ranges::find(names, trace.found.name) == names.end()) continue;
    run.name = trace.found.run;
    run.traces.push_back(trace.found);
    run.files.push_back(readers::rank_files_of(trace.found.path));
  }
  auto opened = open_run(run, traces);
  if (opened) return {};
  Error error = std::move(opened).error();
  if (error.code == ErrorCode::kInvalidArgument || error.hint.empty()) {
    error.hint = fmt::format("name one of its traces: {}", fmt::join(names, ", "));
  }
  return error;
}

// Refusals of HTTP itself; whatever concerns the message is answered in its own protocol.
HttpResponse refused_message(int status, std::string what, std::string hint) {
  return error_answer(status, "bad_request",
                      {.what = std::move(what), .where = "", .hint = std::move(hint)});
}

}  // namespace

AgentDesk::AgentDesk(const SiteSources& sources, TraceShelf& traces,
                     std::function<std::string()> page)
    : sources_(sources), traces_(traces), page_(std::move(page)) {}

std::string AgentDesk::page() const { return page_(); }

Result<std::string> AgentDesk::ask_once(std::string_view route, const Parameters& parameters,
                                        const agents::Watch& watch, bool& is_loading) {
  if (route == "runs") {
    return runs_answer(traces_.folder(), inside(traces_.view(), traces_.root()));
  }
  const ApiQuestion question{route, Query(parameters), traces_.view(),
                             [&watch] { return watch.over(); }};
  const TraceLookup lookup = lookup_on(traces_, is_loading);
  if (route == "summary") STROBE_TRY_VOID(expect_ranks(question, lookup));
  STROBE_TRY(const auto body, api_body(sources_, question, lookup));
  return *body;
}

Result<std::string> AgentDesk::ask(std::string_view route, const Parameters& parameters,
                                   const agents::Watch& watch) {
  const std::vector<std::string> waited_for = traces_of(parameters, traces_.view());
  while (true) {
    bool is_loading = false;
    const double loaded = progress_of(traces_.view(), waited_for);
    if (watch.progress && !waited_for.empty()) {
      watch.progress(kLoadShare * loaded, loaded < 1 ? "loading" : "computing");
    }
    auto answer = ask_once(route, parameters, watch, is_loading);
    if (answer || !is_loading) return answer;
    if (watch.over()) return Error{ErrorCode::kInterrupted, "the call was cancelled", "", ""};
    std::this_thread::sleep_for(kLoadLook);
  }
}

Result<agents::Source> AgentDesk::only_source(const ShelfView& view) const {
  std::set<std::string> runs;
  std::vector<std::string> names;
  for (const ShelvedTrace& trace : view.traces) {
    runs.insert(trace.found.run);
    if (names.size() < kMostNamed) names.push_back(trace.found.name);
  }
  if (names.empty()) {
    return unknown_source("there is no trace below the folder",
                          "start strobe with the folder of a recording");
  }
  if (runs.size() > 1) {
    return unknown_source("there are several traces: name one",
                          fmt::format("{}", fmt::join(names, ", ")));
  }
  STROBE_TRY(auto only, named(names.size() == 1 ? names[0] : *runs.begin(), view, traces_.root()));
  if (only) return *only;
  return unknown_source("the trace is gone", "the tool `open` lists what there is");
}

Result<agents::Source> AgentDesk::find(const std::string& typed) {
  const fs::path& root = traces_.root();
  for (const bool is_second : {false, true}) {
    if (is_second) traces_.rescan();  // it may be new
    const ShelfView view = traces_.view();
    if (typed.empty()) {
      auto only = only_source(view);
      if (only || is_second) return only;
      continue;
    }
    STROBE_TRY(auto source, named(typed, view, root));
    if (source) return *source;
    const fs::path path = resolved(root / typed);
    if (!leads_into(path, root)) return outside(typed);
    const std::string name =
        path == root ? root.filename().string() : path.lexically_relative(root).generic_string();
    STROBE_TRY(source, named(name, view, root));
    if (source) return *source;
  }
  return unknown_source(fmt::format("there is no trace, run or list of kernels '{}'", typed),
                        "the tool `open` without arguments lists what there is");
}

HttpResponse AgentDesk::answer(const HttpRequest& request) {
  if (request.method != "POST") {
    HttpResponse response =
        refused_message(405, "strobe offers no stream here", "send each message as a POST");
    response.headers.emplace_back("Allow", "POST");
    return response;
  }
  if (request.has_body) {
    return refused_message(411, "the body has no length", "send a Content-Length");
  }
  if (!request.header("content-type").starts_with("application/json")) {
    return refused_message(415, "a message is JSON", "send Content-Type: application/json");
  }
  const std::string_view revision = request.header("mcp-protocol-version");
  if (!revision.empty() && !agents::is_known_revision(revision)) {
    return refused_message(400, "strobe does not speak this revision of the protocol",
                           "send the revision that `initialize` answers");
  }
  const auto answer = agents::answer_once(*this, request.body,
                                          {.is_cancelled = request.is_gone, .progress = nullptr});
  if (answer) return make_response(200, "application/json", *answer);
  return HttpResponse{.status = 202};
}

}  // namespace strobe::serve
