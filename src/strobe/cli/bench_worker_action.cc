#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "strobe/bench/providers/provider.h"
#include "strobe/bench/workers/runner.h"
#include "strobe/cli/bench_actions.h"

namespace strobe::cli {
namespace {

Result<void> serve(const Arguments& arguments, const Terminal&) {
  const std::string name = arguments.get("provider");
  const std::unique_ptr<bench::Provider> provider = bench::make_provider(name);
  if (provider == nullptr) {
    return Error{.code = ErrorCode::kInvalidArgument,
                 .what = fmt::format("there is no provider '{}'", name),
                 .where = "--provider",
                 .hint = fmt::format("one of {}", fmt::join(bench::provider_names(), ", "))};
  }
  // Who started this one decides when it ends.
  for (const int signal : {SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
  std::signal(SIGINT, SIG_IGN);
  // What a vendor's library prints must not fall between the answers.
  const int out = dup(STDOUT_FILENO);
  dup2(STDERR_FILENO, STDOUT_FILENO);
  bench::serve_requests(*provider, STDIN_FILENO, out);
  close(out);
  return {};
}

}  // namespace

Command bench_worker_action() {
  return {.name = "bench worker",
          .summary = "answer the requests of `strobe bench run`, one JSON object a line",
          .examples = {{"strobe bench worker --provider cpu", "as `strobe bench run` starts it"},
                       {"echo '{\"op\":\"hello\"}' | strobe bench worker --provider cuda-fused",
                        "what a provider says of itself"}},
          .flags = {{.name = "provider",
                     .kind = FlagKind::kValue,
                     .value = "NAME",
                     .help = "who answers"}},
          .run = answered<serve>,
          .is_hidden = true};
}

}  // namespace strobe::cli
