#include <poll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "strobe/agents/session.h"
#include "strobe/cli/command.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/serve_request.h"
#include "strobe/cli/talk.h"
#include "strobe/serve/trace_server.h"

namespace strobe::cli {
namespace {

constexpr int kLookMs = 200;  // how often an interrupt is looked for
constexpr std::chrono::milliseconds kGoodbye{400};

// The page that links lead to, served beside the conversation.
class PageThread {
 public:
  explicit PageThread(serve::TraceServer& server)
      : thread_([this, &server] { server.run(stop_); }) {}
  ~PageThread() {
    stop_ = true;
    stop_.notify_all();
    thread_.join();
  }
  PageThread(const PageThread&) = delete;
  PageThread& operator=(const PageThread&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};

// Until the end of stdin, or an interrupt.
void converse(agents::Session& session) {
  std::array<char, 1 << 16> buffer;
  while (!interrupted()) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, kLookMs) <= 0) continue;
    const ssize_t bytes = read(STDIN_FILENO, buffer.data(), buffer.size());
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) break;
    session.feed({buffer.data(), static_cast<std::size_t>(bytes)});
  }
  session.finish([] { return interrupted().load(); });
}

Result<void> answer_agents(McpRequest& request, const Terminal& terminal) {
  STROBE_TRY(auto server, serve::TraceServer::open(std::move(request.options)));
  if (server->url().empty()) {
    warn(
        terminal,
        "the web page cannot be served here, so links have no host: open them with `strobe serve`");
  }
  if (server->file_count() == 0) {
    warn(terminal, "there are no traces there yet; new ones are found when they are asked for");
  }
  {
    const PageThread page(*server);
    agents::Session session(server->agents(), [](std::string_view message) {
      // If nobody reads, nobody is told.
      static_cast<void>(write_to_stdout(std::string(message) + "\n"));
    });
    converse(session);
  }
  answered_interrupt();
  if (server->finish(kGoodbye)) return {};
  std::fflush(nullptr);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace

Command mcp_command() {
  Command command = {
      .name = "mcp",
      .summary = "answers agents about traces (Model Context Protocol over stdin and stdout)",
      .positionals = "DIR|FILE...",
      .positionals_help =
          "one folder with traces, subfolders included; or one or more traces. Agents reach "
          "nothing outside of it",
      .examples = {{"strobe mcp runs/", "answer about all traces below runs/"},
                   {"strobe mcp runs/ --memory 8G",
                    "the same, with at most 8 GiB of loaded traces"},
                   {"strobe mcp trace.json.gz --port 6007",
                    "one trace, with its page at a known address"}},
      .notes = {
          "The tools are overview, explain, compare, kernels, fleet, search, query and open. Each "
          "answers with a short text and JSON: at most 2,000 tokens unless the agent asks for "
          "more. What a recording cannot tell is in the member cannot_answer, with what to record.",
          "stdin and stdout carry one JSON message per line; warnings go to stderr. strobe stops "
          "at "
          "the end of stdin.",
          "Links lead to the web page, which strobe serves to this machine while it runs. `strobe "
          "serve` offers the same tools over HTTP, at /mcp."}};
  return with_request(std::move(command), mcp_flags, complete_mcp, answer_agents);
}

}  // namespace strobe::cli
