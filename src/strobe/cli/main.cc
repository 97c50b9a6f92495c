#include <exception>
#include <new>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/command_line.h"
#include "strobe/cli/help.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/message.h"
#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

constexpr int kAnswered = 0;
constexpr int kBugInStrobe = 70;

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kGateFailed:
      return 1;
    case ErrorCode::kBadCommandLine:
      return 2;
    case ErrorCode::kNotFound:
    case ErrorCode::kMalformed:
    case ErrorCode::kTooLittleData:
    case ErrorCode::kCannotWrite:
      return 3;
    case ErrorCode::kMachineLacks:
      return 4;
    case ErrorCode::kInterrupted:
      return 130;
  }
  return kBugInStrobe;
}

int fail(const Error& error, const Terminal& terminal) {
  say(error_text(error, terminal.color_error));
  return exit_code_of(error.code);
}

int run(const std::vector<std::string>& words) {
  const TerminalFacts facts = terminal_facts();
  const Result<Request> request = parse_command_line(words, commands());
  if (!request) return fail(request.error(), judge(facts, ColorChoice::kAuto));

  const auto& [command, arguments] = *request;
  const Terminal terminal = terminal_for(arguments, facts);
  catch_interrupts();
  const Result<void> outcome = arguments.is_on("help")
                                   ? write_to_stdout(command_help(command, terminal.columns))
                                   : command.run(arguments, terminal);
  return outcome ? kAnswered : fail(outcome.error(), terminal);
}

}  // namespace
}  // namespace strobe::cli

int main(int argc, char** argv) {
  using strobe::cli::say;
  try {
    return strobe::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    say("strobe: out of memory\n  hint: try fewer traces at once, or a machine with more memory\n");
  } catch (const std::exception& error) {
    say(std::string("strobe: bug: ") + error.what() +
        "\n  hint: please report it with the trace\n");
  }
  return strobe::cli::kBugInStrobe;
}
