#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/serve_request.h"
#include "strobe/cli/talk.h"
#include "strobe/serve/trace_server.h"

namespace strobe::cli {
namespace {

bool start_program(std::string program, std::string url) {
  const std::array<char*, 3> words = {program.data(), url.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // stdout is ours, and the browser's messages are not interesting.
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int outcome =
      posix_spawnp(&child, program.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return outcome == 0;
}

// Asks the desktop (or $BROWSER) to show an address. False if nothing could be started.
bool open_in_browser(const std::string& url) {
  const char* chosen = std::getenv("BROWSER");  // NOLINT(concurrency-mt-unsafe): never set
  if (chosen != nullptr && *chosen != '\0') return start_program(chosen, url);
  return start_program("xdg-open", url);
}

// Short enough for a user, and shorter than the alarm of interrupt.h.
constexpr std::chrono::milliseconds kLongestWait{400};

// Loading can be interrupted, but not the computation of an answer, which is no longer needed.
void leave(std::unique_ptr<serve::TraceServer> server) {
  if (server->finish(kLongestWait)) return;
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

Result<void> serve_traces(ServeRequest& request, const Terminal& terminal) {
  request.options.shelf.on_failure = [&](const std::string& trace, const Error& error) {
    if (!terminal.warns()) return;
    Error named = error;
    named.where = trace;
    say(error_text(named, terminal.color_error));
  };
  const std::string what = request.options.places.size() == 1
                               ? request.options.places[0]
                               : fmt::format("{} traces", request.options.places.size());
  STROBE_TRY(auto server, serve::TraceServer::open(std::move(request.options)));
  if (!server->is_loopback()) {
    warn(terminal,
         "anyone who can reach this address can read the traces; without --host only this "
         "machine can");
  }
  STROBE_TRY_VOID(write_to_stdout(server->url() + "\n"));
  if (!terminal.quiet)
    say(fmt::format("strobe: serving {} at {} (Ctrl-C stops)\n", what, server->url()));
  if (server->file_count() == 0) {
    warn(terminal,
         fmt::format("there are no traces below '{}' yet; new ones will appear on the page", what));
  }
  if (request.opens_browser && !open_in_browser(server->url())) {
    warn(terminal, "no browser could be started; open the address yourself");
  }
  server->run(interrupted());
  answered_interrupt();
  leave(std::move(server));
  return {};
}

}  // namespace

Command serve_command() {
  Command command = {
      .name = "serve",
      .summary = "a web page and an HTTP API for all traces below a folder",
      .positionals = "DIR|FILE...",
      .positionals_help =
          "one folder with traces, subfolders included; or one or more traces; of any format that "
          "`strobe summary` reads",
      .examples = {{"strobe serve logs", "serve all traces below logs at http://127.0.0.1:6007/"},
                   {"strobe serve trace.json.gz --open", "serve one trace and open its page"},
                   {"strobe serve vm.xplane.pb report.sqlite", "two traces of different profilers"},
                   {"strobe serve logs --port 0 --quiet",
                    "any free port; prints only its address"}},
      .notes = {
          "The first line on stdout is the address of the page. strobe notices new and changed "
          "traces while it runs, and loads a trace when its file stops growing. Ctrl-C stops "
          "strobe, with exit code 0.",
          "Programs that used PyTorch's TensorBoard profiler plugin get the same answers from "
          "strobe, below /data/plugin/pytorch_profiler/.",
          "Only this machine can connect, unless --host names another address. To look at the "
          "traces of a remote machine: `ssh -L 6007:localhost:6007 MACHINE strobe serve logs`."}};
  return with_request(std::move(command), serve_flags, complete_serve, serve_traces);
}

}  // namespace strobe::cli
