#include "strobe/serve/site.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/base/hash.h"
#include "strobe/base/json_write.h"
#include "strobe/base/version.h"
#include "strobe/serve/bench_answer.h"
#include "strobe/serve/http_message.h"
#include "strobe/serve/json_members.h"
#include "strobe/serve/query_desk.h"

namespace strobe::serve {
namespace {

// The text between each <tag ...> and </tag>.
std::vector<std::string_view> contents_of(std::string_view tag, std::string_view html) {
  const std::string open = fmt::format("<{}", tag);
  const std::string close = fmt::format("</{}>", tag);
  std::vector<std::string_view> contents;
  for (std::size_t at = 0; (at = html.find(open, at)) != std::string_view::npos;) {
    const std::size_t begin = html.find('>', at);
    const std::size_t end = html.find(close, at);
    if (begin == std::string_view::npos || end == std::string_view::npos) break;
    contents.push_back(html.substr(begin + 1, end - begin - 1));
    at = end;
  }
  return contents;
}

std::string hashes_of(std::string_view tag, std::string_view html) {
  std::string hashes;
  for (const std::string_view content : contents_of(tag, html)) {
    hashes += fmt::format(" 'sha256-{}'", sha256_base64(content));
  }
  return hashes.empty() ? " 'none'" : hashes;
}

void write_facts(const std::optional<TraceFacts>& known, JsonWriter& json) {
  const TraceFacts facts = known.value_or(TraceFacts{});
  text_or_null(json, "dialect", facts.dialect);
  text_or_null(json, "device", facts.device);
  json.key("rank");
  facts.rank ? json.value(*facts.rank) : json.null();
  json.key("slices");
  known ? json.value(facts.slices) : json.null();
  json.key("span_ns");
  known ? json.value(facts.span_ns) : json.null();
  text_or_null(json, "import_warning", facts.import_warning);
  json.key("kind");
  known ? json.value(facts.is_snapshot ? "snapshot" : "trace") : json.null();
}

void write_trace(const ShelvedTrace& trace, JsonWriter& json) {
  json.begin_object();
  json.member("trace", trace.found.name);
  json.member("worker", trace.found.worker);
  json.member("span", trace.found.span);
  json.member("state", word_of(trace.state));
  json.member("progress", trace.progress);
  json.key("error");
  trace.error ? json.raw(error_object("unreadable", *trace.error)) : json.null();
  json.member("file_bytes", trace.found.stamp.bytes);
  write_facts(trace.facts, json);
  json.member("generation", trace.edition.generation)
      .member("is_recording", trace.edition.is_recording)
      .end_object();
}

void write_run(std::string_view name, const std::vector<const ShelvedTrace*>& traces,
               const RunsByName& recorded, JsonWriter& json) {
  const auto run = recorded.find(std::string(name));
  json.begin_object().member("name", name);
  write_recorded_run(run == recorded.end() ? nullptr : run->second.get(), wall_clock_ns(), json);
  json.key("traces").begin_array();
  for (const ShelvedTrace* trace : traces) write_trace(*trace, json);
  json.end_array().end_object();
}

constexpr std::string_view kApi = "/api/v1/";
constexpr std::string_view kPlugin = "/data/plugin/pytorch_profiler/";
constexpr std::size_t kWorthPackingBytes = 1024;

HttpResponse refuse(int status, std::string what, std::string hint) {
  return error_answer(status, status == 404 ? "not_found" : "bad_request",
                      {.what = std::move(what), .where = "", .hint = std::move(hint)});
}

HttpResponse no_such_address(const std::string& path, std::string_view prefix) {
  return refuse(
      404, fmt::format("there is nothing at '{}'", path),
      fmt::format("the page is at {0}/, the API below {0}{1}, see docs/api.md", prefix, kApi));
}

bool is_query(std::string_view route) { return route == "query" || route.starts_with("query/"); }

std::vector<FoundTrace> files_of(ShelfView view) {
  std::vector<FoundTrace> files;
  for (ShelvedTrace& trace : view.traces) files.push_back(std::move(trace.found));
  return files;
}

// A body that is compressed if the client accepts that.
HttpResponse packed_if_accepted(const HttpRequest& request, HttpResponse response) {
  const bool is_decided = std::ranges::any_of(response.headers, [](const auto& header) {
    return header.first == "Content-Encoding" || header.first == "Vary";
  });
  if (is_decided || response.text().size() < kWorthPackingBytes) return response;
  response.headers.emplace_back("Vary", "Accept-Encoding");
  if (!accepts_gzip(request)) return response;
  response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = std::make_shared<const std::string>(pack_gzip(*response.body));
  return response;
}

}  // namespace

std::string content_policy(std::string_view html) {
  return fmt::format(
      "default-src 'none'; script-src{}; style-src{}; img-src 'self' data: blob:; font-src data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      hashes_of("script", html), hashes_of("style", html));
}

bool accepts_gzip(const HttpRequest& request) {
  std::string_view left = request.header("accept-encoding");
  while (!left.empty()) {
    const std::size_t comma = std::min(left.find(','), left.size());
    std::string_view coding = left.substr(0, comma);
    left.remove_prefix(std::min(comma + 1, left.size()));
    coding.remove_prefix(std::min(coding.find_first_not_of(' '), coding.size()));
    const std::string_view name = coding.substr(0, coding.find_first_of("; "));
    const bool is_refused = coding.ends_with("q=0") || coding.ends_with("q=0.0");
    if ((name == "gzip" || name == "*") && !is_refused) return true;
  }
  return false;
}

PageAnswer::PageAnswer(std::string_view html)
    : plain_(std::make_shared<const std::string>(html)),
      packed_(std::make_shared<const std::string>(pack_gzip(html))),
      tag_(fmt::format("\"{}\"", sha256_base64(html))),
      policy_(content_policy(html)) {}

HttpResponse PageAnswer::answer(const HttpRequest& request) const {
  HttpResponse response{.content_type = "text/html; charset=utf-8"};
  response.headers = {{"Content-Security-Policy", policy_},
                      {"Referrer-Policy", "no-referrer"},
                      {"Cache-Control", "no-cache"},
                      {"Vary", "Accept-Encoding"},
                      {"ETag", tag_}};
  if (request.header("if-none-match").find(tag_) != std::string_view::npos) {
    response.status = 304;
    return response;
  }
  const bool is_packed = accepts_gzip(request);
  if (is_packed) response.headers.emplace_back("Content-Encoding", "gzip");
  response.body = is_packed ? packed_ : plain_;
  return response;
}

std::string runs_answer(const std::string& folder, const ShelfView& view) {
  std::map<std::string_view, std::vector<const ShelvedTrace*>> runs;
  for (const ShelvedTrace& trace : view.traces) runs[trace.found.run].push_back(&trace);
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  json.member("strobe", kVersion);
  json.member("folder", folder);
  json.member("generation", view.generation);
  json.member("loading", view.is_loading);
  json.key("runs").begin_array();
  for (const auto& [name, traces] : runs) write_run(name, traces, view.recorded, json);
  json.end_array().key("kernel_files").begin_array();
  for (const FoundKernels& file : view.kernel_files) {
    json.begin_object()
        .member("file", file.name)
        .member("file_bytes", file.stamp.bytes)
        .end_object();
  }
  json.end_array();
  write_bench_files(json, view.bench_files);
  json.end_object();
  return text;
}

TraceLookup lookup_on(TraceShelf& shelf, bool& is_loading) {
  return [&](std::string_view trace) {
    TraceShelf::Lookup found = shelf.find(trace);
    is_loading = is_loading || found.is_loading;
    return std::move(found.trace);
  };
}

Result<std::shared_ptr<const std::string>> api_body(const SiteSources& sources,
                                                    const ApiQuestion& question,
                                                    const TraceLookup& traces) {
  const auto& [route, query, view, is_gone] = question;
  if (route == "compare") return sources.compare(query, files_of(view), traces);
  if (is_query(route)) return sources.query(route, query, files_of(view), traces, is_gone);
  if (route == "bench" || route.starts_with("bench/")) return sources.bench(route, query, view);
  if (route == "fleet" || route.starts_with("fleet/")) {
    return sources.fleet(route, query, view, traces);
  }
  if (route == "kernels") return sources.kernels(query, view, traces);
  STROBE_TRY(std::string body, sources.api(route, query, traces));
  return std::make_shared<const std::string>(std::move(body));
}

Site::Site(SiteSources sources, HostGuard guard, std::string path_prefix, TraceShelf& traces,
           ProfileShelf& profiles)
    : sources_(std::move(sources)),
      guard_(std::move(guard)),
      path_prefix_(std::move(path_prefix)),
      traces_(traces),
      profiles_(profiles),
      page_(sources_.page_html) {}

HttpResponse Site::answer(const HttpRequest& request) const {
  HttpResponse response = packed_if_accepted(request, route(request));
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

HttpResponse Site::route(const HttpRequest& request) const {
  if (const auto objection = guard_.objection(request)) {
    return error_answer(403, "bad_request", *objection);
  }
  if (request.path == path_prefix_ + std::string(kAgentPath)) return ask_agents(request);
  if (request.method != "GET" && !request.is_head()) {
    HttpResponse response =
        refuse(405, fmt::format("the method '{}' is not supported", request.method), "use GET");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (request.has_body)
    return refuse(413, "a request must not have a body", "use parameters in the address");
  std::string_view path = request.path;
  if (!path.starts_with(path_prefix_)) return no_such_address(request.path, path_prefix_);
  path.remove_prefix(path_prefix_.size());
  if (path.empty()) {
    HttpResponse response = refuse(308, "the page is at the address with a / at its end", "");
    response.headers.emplace_back("Location", path_prefix_ + "/");
    return response;
  }
  if (path == "/" || path == "/index.html") return page_.answer(request);
  if (path.starts_with(kApi)) return api(path.substr(kApi.size()), request);
  if (path.starts_with(kPlugin)) return plugin(path.substr(kPlugin.size()), request);
  return no_such_address(request.path, path_prefix_);
}

HttpResponse Site::ask_agents(const HttpRequest& request) const {
  if (!guard_.is_loopback()) {
    return refuse(403, "agents are answered on this machine only",
                  "serve without --host, and connect through `ssh -L`");
  }
  HttpResponse response = sources_.agents(request);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

HttpResponse Site::api(std::string_view route, const HttpRequest& request) const {
  HttpResponse response;
  if (is_query(route) && !guard_.is_loopback()) {
    response = refuse(403, "queries are answered on this machine only",
                      "serve without --host, and connect through `ssh -L`");
  } else if (route == "runs") {
    response =
        make_response(200, "application/json", runs_answer(traces_.folder(), traces_.view()));
  } else {
    bool is_loading = false;
    const auto body =
        api_body(sources_, {route, Query(request.parameters), traces_.view(), request.is_gone},
                 lookup_on(traces_, is_loading));
    if (body) {
      response.body = *body;
    } else if (is_loading) {
      response = loading_answer(body.error());
    } else {
      response = is_query(route) ? query_error_answer(body.error()) : error_answer(body.error());
    }
  }
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

HttpResponse Site::plugin(std::string_view route, const HttpRequest& request) const {
  if (route == "runs") return make_response(200, "application/json", plugin_runs());
  tensorboard::Parameters parameters;
  for (const auto& [name, value] : request.parameters) parameters.emplace(name, value);
  tensorboard::Answer answer = sources_.plugin(
      route, parameters, [this](std::string_view name) { return plugin_run(name); });
  HttpResponse response =
      make_response(answer.status, std::move(answer.content_type),
                    answer.gzip ? pack_gzip(answer.body) : std::move(answer.body));
  if (answer.gzip) response.headers.emplace_back("Content-Encoding", "gzip");
  return response;
}

std::string Site::plugin_runs() const {
  std::set<std::string> names;
  bool is_loading = false;
  const ShelfView view = traces_.view();
  for (const ShelvedTrace& trace : view.traces) {
    if (!trace.found.is_profile) continue;
    names.insert(trace.found.run);
    is_loading = is_loading || !trace.is_settled;
  }
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("runs").begin_array();
  for (const std::string& name : names) json.value(name);
  json.end_array().member("loading", is_loading).end_object();
  return text;
}

std::shared_ptr<const tensorboard::Run> Site::plugin_run(std::string_view name) const {
  std::vector<FoundTrace> files;
  ShelfView view = traces_.view();
  for (ShelvedTrace& trace : view.traces) {
    if (trace.found.is_profile && trace.is_settled && trace.found.run == name) {
      files.push_back(std::move(trace.found));
    }
  }
  if (files.empty()) return nullptr;
  return profiles_.run(std::string(name), files);
}

}  // namespace strobe::serve
