// Sends requests to strobe's API about a trace and prints how long the answers took.
//
//   ask_api TRACE ROUTE [NAME=VALUE ...]
//
// The answer goes to stdout. stderr gets the times of loading, of the first answer, which computes
// data that later answers share, and of the second.
#include <cstdio>
#include <memory>
#include <string>

#include "perf/contest.h"
#include "strobe/readers/trace_reader.h"
#include "strobe/serve/api.h"
#include "strobe/serve/open_trace.h"

namespace strobe::perf {
namespace {

int complain(const Error& error) {
  std::fprintf(stderr, "ask_api: %s: %s\n", error.where.c_str(), error.what.c_str());
  return 3;
}

int run(const std::string& path, const std::string& route, serve::Query::Parameters parameters) {
  const Stopwatch load_watch;
  auto loaded = readers::read_trace(path);
  if (!loaded) return complain(loaded.error());
  std::fprintf(stderr, "load %.1f ms\n", 1e3 * load_watch.seconds());
  const auto open = std::make_shared<const serve::OpenTrace>(path, std::move(*loaded));
  const serve::TraceLookup traces =
      [&](std::string_view) -> Result<std::shared_ptr<const serve::OpenTrace>> { return open; };
  parameters.emplace("trace", path);
  const serve::Query query(std::move(parameters));
  for (const char* which : {"first", "second"}) {
    const Stopwatch watch;
    const auto answer = serve::api_answer(route, query, traces);
    if (!answer) return complain(answer.error());
    std::fprintf(stderr, "%s %.1f ms, %zu bytes\n", which, 1e3 * watch.seconds(), answer->size());
    if (which[0] == 's') std::fwrite(answer->data(), 1, answer->size(), stdout);
  }
  return 0;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: ask_api TRACE ROUTE [NAME=VALUE ...]\n");
    return 2;
  }
  strobe::serve::Query::Parameters parameters;
  for (int i = 3; i < argc; ++i) {
    const std::string given = argv[i];
    const std::size_t equals = given.find('=');
    parameters.emplace(given.substr(0, equals),
                       equals == std::string::npos ? "" : given.substr(equals + 1));
  }
  return strobe::perf::run(argv[1], argv[2], std::move(parameters));
}
