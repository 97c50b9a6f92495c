#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include <fmt/format.h>

#include "strobe/cli/browser.h"
#include "strobe/cli/cache_flags.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"
#include "strobe/cli/serve_request.h"
#include "strobe/serve/trace_server.h"

namespace strobe::cli {
namespace {

// Less than a person waits, and than the alarm of interrupt.h.
constexpr std::chrono::milliseconds kPatience{400};

// Loading can be interrupted, an answer in the making cannot. Nobody waits for it any more.
void leave(std::unique_ptr<serve::TraceServer> server) {
  if (server->finish(kPatience)) return;
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

Result<void> run(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY(ServeRequest request, read_serve_request(arguments));
  request.options.shelf.on_failure = [&](const std::string& trace, const Error& error) {
    if (!terminal.warns()) return;
    Error told = error;
    told.where = trace;
    say(error_text(told, terminal.color_error));
  };
  const std::string what = request.options.places.size() == 1
                               ? request.options.places[0]
                               : fmt::format("{} traces", request.options.places.size());
  STROBE_TRY(auto server, serve::TraceServer::open(std::move(request.options)));
  if (!server->is_loopback()) {
    warn(terminal,
         "everybody who can reach this address can read the traces; without --host only "
         "this machine can");
  }
  STROBE_TRY_VOID(write_to_stdout(server->url() + "\n"));
  if (!terminal.quiet)
    say(fmt::format("strobe: serving {} at {} (Ctrl-C stops)\n", what, server->url()));
  if (server->file_count() == 0) {
    warn(terminal,
         fmt::format("there are no traces below '{}' yet; new ones appear by themselves", what));
  }
  if (request.opens_browser && !open_in_browser(server->url())) {
    warn(terminal, "no browser could be started; open the address yourself");
  }
  server->run(interrupted());
  answered_interrupt();
  leave(std::move(server));
  return {};
}

std::vector<Flag> flags() {
  std::vector<Flag> all = {
      {.name = "host",
       .kind = FlagKind::kValue,
       .value = "ADDRESS",
       .help = "listen on this address (default: 127.0.0.1, this machine only)"},
      {.name = "port",
       .kind = FlagKind::kValue,
       .value = "N",
       .help = "listen on this port (default: 6007); 0: any free one"},
      {.name = "path-prefix",
       .kind = FlagKind::kValue,
       .value = "PATH",
       .help = "put everything below this path, for a proxy in front"},
      {.name = "allow-host",
       .kind = FlagKind::kList,
       .value = "NAME",
       .help = "answer requests for this host name too; others are refused, since a "
               "stranger's page could send them"},
      {.name = "open", .help = "open the page in the browser"},
      {.name = "memory",
       .kind = FlagKind::kValue,
       .value = "SIZE",
       .help = "how much memory traces may take, such as 8G (default: half of the "
               "machine's); the least used are dropped and loaded again when needed"},
      {.name = "threads",
       .kind = FlagKind::kValue,
       .value = "N",
       .help = "threads to load with (default: one per core); never changes an answer"}};
  std::ranges::copy(cache_flags(), std::back_inserter(all));
  return all;
}

}  // namespace

Command serve_command() {
  return {
      .name = "serve",
      .summary = "a web page and an HTTP API for all traces below a folder",
      .positionals = "DIR",
      .positionals_help =
          "the folder with the traces, whatever lies below it included; or just some traces",
      .examples = {{"strobe serve logs", "serve all traces below logs at http://127.0.0.1:6007/"},
                   {"strobe serve trace.json.gz --open", "one trace, and the browser on its page"},
                   {"strobe serve logs --port 0 --quiet", "any free port; the address is printed"}},
      .notes =
          {"The first line on stdout is the address of the page. New and changed traces are "
           "noticed while strobe runs; those still being written wait. Ctrl-C stops, with exit "
           "code 0.",
           "Clients of PyTorch's TensorBoard profiler plugin find its answers below "
           "/data/plugin/pytorch_profiler/.",
           "Only this machine can connect, unless --host says otherwise. To look at a remote "
           "machine's traces from yours: `ssh -L 6007:localhost:6007 MACHINE strobe serve "
           "logs`."},
      .flags = flags(),
      .run = answered<run>};
}

}  // namespace strobe::cli
