#include "strobe/serve/site.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "strobe/base/gzip_pack.h"
#include "strobe/base/json_write.h"
#include "strobe/serve/error_answer.h"
#include "strobe/serve/runs_answer.h"

namespace strobe::serve {
namespace {

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

// A body that is packed on its way out if the client can unpack it.
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
  if (request.method != "GET" && !request.is_head()) {
    HttpResponse response =
        refuse(405, fmt::format("'{}' is not understood here", request.method), "use GET");
    response.headers.emplace_back("Allow", "GET, HEAD");
    return response;
  }
  if (request.has_body) return refuse(413, "a question has no body", "put it into the address");
  std::string_view path = request.path;
  if (!path.starts_with(path_prefix_)) return no_such_address(request.path, path_prefix_);
  path.remove_prefix(path_prefix_.size());
  if (path.empty()) {
    HttpResponse response = refuse(308, "the page is one / further", "");
    response.headers.emplace_back("Location", path_prefix_ + "/");
    return response;
  }
  if (path == "/" || path == "/index.html") return page_.answer(request);
  if (path.starts_with(kApi)) return api(path.substr(kApi.size()), request);
  if (path.starts_with(kPlugin)) return plugin(path.substr(kPlugin.size()), request);
  return no_such_address(request.path, path_prefix_);
}

HttpResponse Site::api(std::string_view route, const HttpRequest& request) const {
  HttpResponse response;
  if (route == "runs") {
    response =
        make_response(200, "application/json", runs_answer(traces_.folder(), traces_.view()));
  } else {
    bool is_loading = false;
    const TraceLookup lookup = [&](std::string_view trace) {
      TraceShelf::Lookup found = traces_.find(trace);
      is_loading = is_loading || found.is_loading;
      return std::move(found.trace);
    };
    const auto body = api_body(route, Query(request.parameters), lookup);
    if (body) {
      response.body = *body;
    } else {
      response = is_loading ? loading_answer(body.error()) : error_answer(body.error());
    }
  }
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

Result<std::shared_ptr<const std::string>> Site::api_body(std::string_view route,
                                                          const Query& query,
                                                          const TraceLookup& traces) const {
  if (route == "compare") {
    ShelfView view = traces_.view();
    std::vector<FoundTrace> files;
    for (ShelvedTrace& trace : view.traces) files.push_back(std::move(trace.found));
    return sources_.compare(query, files, traces);
  }
  if (route == "bench" || route.starts_with("bench/")) {
    return sources_.bench(route, query, traces_.view());
  }
  if (route == "kernels") return sources_.kernels(query, traces_.view(), traces);
  STROBE_TRY(std::string body, sources_.api(route, query, traces));
  return std::make_shared<const std::string>(std::move(body));
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
