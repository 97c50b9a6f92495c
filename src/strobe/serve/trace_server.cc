#include "strobe/serve/trace_server.h"

#include <fmt/format.h>

#include "strobe/report/render/page.h"
#include "strobe/serve/agent_desk.h"
#include "strobe/serve/api.h"
#include "strobe/serve/bench_shelf.h"
#include "strobe/serve/comparison_shelf.h"
#include "strobe/serve/fleet_shelf.h"
#include "strobe/serve/http_server.h"
#include "strobe/serve/kernel_shelf.h"
#include "strobe/serve/profile_shelf.h"
#include "strobe/serve/query_desk.h"
#include "strobe/serve/site.h"

namespace strobe::serve {
namespace {

// The share of the given memory for the plugin's profiles.
constexpr std::uint64_t kProfileShare = 4;

SiteSources real_sources(ComparisonShelf& comparisons, KernelShelf& kernels, BenchShelf& benches,
                         FleetShelf& jobs, QueryDesk& queries) {
  return {
      .api = api_answer,
      .plugin = tensorboard::answer,
      .compare =
          [&comparisons](const Query& query, const std::vector<FoundTrace>& files,
                         const TraceLookup& traces) {
            return comparisons.answer(query, files, traces);
          },
      .kernels = [&kernels](
                     const Query& query, const ShelfView& view,
                     const TraceLookup& traces) { return kernels.answer(query, view, traces); },
      .bench = [&benches](std::string_view route, const Query& query,
                          const ShelfView& view) { return benches.answer(route, query, view); },
      .fleet = [&jobs](
                   std::string_view route, const Query& query, const ShelfView& view,
                   const TraceLookup& traces) { return jobs.answer(route, query, view, traces); },
      .query =
          [&queries](std::string_view route, const Query& query,
                     const std::vector<FoundTrace>& files, const TraceLookup& traces,
                     const std::function<bool()>& is_gone) {
            return queries.answer(route, query, files, traces, is_gone);
          },
      .page_html = report::page_html()};
}

HostGuard guard_for(const HttpServer* http, const ServeOptions& options) {
  std::vector<std::string> names = options.allowed_hosts;
  names.push_back(options.host);
  if (http == nullptr) return {options.host, true, std::move(names)};
  return {http->address(), http->is_loopback(), std::move(names)};
}

SiteSources with_agents(SiteSources sources, AgentDesk& agents) {
  sources.agents = [&agents](const HttpRequest& request) { return agents.answer(request); };
  return sources;
}

ShelfOptions trace_part(ShelfOptions shelf) {
  shelf.memory_bytes -= shelf.memory_bytes / kProfileShare;
  return shelf;
}

}  // namespace

struct TraceServer::Parts {
  Parts(std::unique_ptr<HttpServer> listening, RunFolder folder, const ServeOptions& options)
      : path_prefix(options.path_prefix),
        traces(std::move(folder), trace_part(options.shelf)),
        profiles(options.shelf.memory_bytes / kProfileShare,
                 [](std::string_view json) { return tensorboard::read_profile(json); }),
        sources(real_sources(comparisons, kernels, benches, jobs, queries)),
        agents(sources, traces, [this] { return url(); }),
        site(with_agents(sources, agents), guard_for(listening.get(), options), options.path_prefix,
             traces, profiles),
        http(std::move(listening)) {}

  std::string url() const;

  std::string path_prefix;
  TraceShelf traces;
  ProfileShelf profiles;
  ComparisonShelf comparisons;
  KernelShelf kernels;
  BenchShelf benches;
  FleetShelf jobs;
  QueryDesk queries;
  const SiteSources sources;
  AgentDesk agents;
  Site site;
  // Its workers use all of the above, so it is destroyed first. Null if it cannot listen.
  std::unique_ptr<HttpServer> http;
};

TraceServer::TraceServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
TraceServer::~TraceServer() = default;

Result<std::unique_ptr<TraceServer>> TraceServer::open(ServeOptions options) {
  STROBE_TRY(RunFolder folder, RunFolder::open(options.places));
  auto http = HttpServer::listen(options.host, options.port, {},
                                 options.path_prefix + std::string(kAgentPath));
  if (!http && options.needs_address) return http.error();
  return std::unique_ptr<TraceServer>(new TraceServer(
      std::make_unique<Parts>(http ? std::move(*http) : nullptr, std::move(folder), options)));
}

std::string TraceServer::Parts::url() const {
  if (http == nullptr) return "";
  const std::string address = http->address();
  const bool is_v6 = address.find(':') != std::string::npos;
  return fmt::format("http://{}:{}{}/", is_v6 ? fmt::format("[{}]", address) : address,
                     http->port(), path_prefix);
}

std::string TraceServer::url() const { return parts_->url(); }

bool TraceServer::is_loopback() const {
  return parts_->http == nullptr || parts_->http->is_loopback();
}

agents::Lab& TraceServer::agents() { return parts_->agents; }

std::size_t TraceServer::file_count() const {
  const ShelfView view = parts_->traces.view();
  return view.traces.size() + view.kernel_files.size() + view.bench_files.size();
}

void TraceServer::run(const std::atomic<bool>& stop) {
  if (parts_->http == nullptr) {
    stop.wait(false);
  } else {
    parts_->http->run([this](const HttpRequest& request) { return parts_->site.answer(request); },
                      stop);
  }
  parts_->profiles.stop();
  parts_->traces.stop();
}

bool TraceServer::finish(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  if (parts_->http != nullptr && !parts_->http->finish(patience)) return false;
  const auto left = until - std::chrono::steady_clock::now();
  return parts_->traces.finish(std::chrono::duration_cast<std::chrono::milliseconds>(left));
}

}  // namespace strobe::serve
