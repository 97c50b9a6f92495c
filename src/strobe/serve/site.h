#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/serve/api.h"
#include "strobe/serve/host_guard.h"
#include "strobe/serve/http_message.h"
#include "strobe/serve/profile_shelf.h"
#include "strobe/serve/trace_shelf.h"

namespace strobe::serve {

// Below the path prefix.
inline constexpr std::string_view kAgentPath = "/mcp";

// The sources of answers; a parameter, so that routes can be tested without traces.
struct SiteSources {
  std::function<Result<std::string>(std::string_view route, const Query& query,
                                    const TraceLookup& traces)>
      api;
  std::function<tensorboard::Answer(std::string_view route, const tensorboard::Parameters&,
                                    const tensorboard::RunLookup&)>
      plugin;
  std::function<Result<std::shared_ptr<const std::string>>(
      const Query& query, const std::vector<FoundTrace>& files, const TraceLookup& traces)>
      compare;
  std::function<Result<std::shared_ptr<const std::string>>(
      const Query& query, const ShelfView& view, const TraceLookup& traces)>
      kernels;
  // `route`: "bench" and what is below it.
  std::function<Result<std::shared_ptr<const std::string>>(
      std::string_view route, const Query& query, const ShelfView& view)>
      bench;
  // `route`: "fleet" and what is below it.
  std::function<Result<std::shared_ptr<const std::string>>(
      std::string_view route, const Query& query, const ShelfView& view, const TraceLookup& traces)>
      fleet;
  // `route`: "query" and what is below it.
  std::function<Result<std::shared_ptr<const std::string>>(
      std::string_view route, const Query& query, const std::vector<FoundTrace>& files,
      const TraceLookup& traces, const std::function<bool()>& is_gone)>
      query;
  std::string_view page_html;
  // /mcp: messages of agents.
  std::function<HttpResponse(const HttpRequest& request)> agents = nullptr;
};

// A question of the API about what a shelf has at this moment.
struct ApiQuestion {
  std::string_view route;
  Query query;
  ShelfView view;
  std::function<bool()> is_gone = nullptr;  // true when the client has left; null: nobody can tell
};

Result<std::shared_ptr<const std::string>> api_body(const SiteSources& sources,
                                                    const ApiQuestion& question,
                                                    const TraceLookup& traces);

// Finds traces on a shelf, and sets `is_loading` when one is not loaded yet.
TraceLookup lookup_on(TraceShelf& shelf, bool& is_loading);

// The page, ready to be sent: compressed once, with a policy that lists its scripts and styles by
// hash.
class PageAnswer {
 public:
  explicit PageAnswer(std::string_view html);

  HttpResponse answer(const HttpRequest& request) const;

 private:
  std::shared_ptr<const std::string> plain_;
  std::shared_ptr<const std::string> packed_;
  std::string tag_;
  std::string policy_;
};

// The Content-Security-Policy of a self-contained page.
std::string content_policy(std::string_view html);

bool accepts_gzip(const HttpRequest& request);

// The body of /api/v1/runs.
std::string runs_answer(const std::string& folder, const ShelfView& view);

// All routes of the server: from a request to a response. Safe from several threads.
class Site {
 public:
  // `path_prefix`: "" or "/some/path". The shelves must outlive the site.
  Site(SiteSources sources, HostGuard guard, std::string path_prefix, TraceShelf& traces,
       ProfileShelf& profiles);

  HttpResponse answer(const HttpRequest& request) const;

 private:
  HttpResponse route(const HttpRequest& request) const;
  HttpResponse ask_agents(const HttpRequest& request) const;
  HttpResponse api(std::string_view route, const HttpRequest& request) const;
  HttpResponse plugin(std::string_view route, const HttpRequest& request) const;
  std::string plugin_runs() const;
  std::shared_ptr<const tensorboard::Run> plugin_run(std::string_view name) const;

  SiteSources sources_;
  HostGuard guard_;
  std::string path_prefix_;
  TraceShelf& traces_;
  ProfileShelf& profiles_;
  PageAnswer page_;
};

}  // namespace strobe::serve
