#include <exception>
#include <new>
#include <string>
#include <vector>

#include "strobe/cli/command.h"
#include "strobe/cli/command_line.h"
#include "strobe/cli/help.h"
#include "strobe/cli/interrupt.h"
#include "strobe/cli/output.h"
#include "strobe/cli/talk.h"

namespace strobe::cli {
namespace {

constexpr int kAnswered = 0;
constexpr int kGateFailed = 1;
constexpr int kBugInStrobe = 70;

// `strobe help` lists the exit codes.
int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return 2;
    case ErrorCode::kNotFound:
    case ErrorCode::kMalformed:
    case ErrorCode::kTooLittleData:
    case ErrorCode::kCannotWrite:
    case ErrorCode::kUnsupported:
      return 3;
    case ErrorCode::kMachineLacks:
    case ErrorCode::kOutOfMemory:
      return 4;
    case ErrorCode::kInterrupted:
      return kInterruptedExit;
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

  const auto& [command, arguments, common] = *request;
  const Terminal terminal = terminal_for(common, facts);
  catch_interrupts();
  if (common.help) {
    const Result<void> shown = write_to_stdout(command_help(command, terminal.columns));
    return shown ? kAnswered : fail(shown.error(), terminal);
  }
  const Result<Outcome> outcome = command.run(arguments, terminal);
  if (!outcome) return fail(outcome.error(), terminal);
  if (outcome->failed_gate.empty()) return outcome->exit_code;
  say(failure_text(outcome->failed_gate, outcome->hint, terminal.color_error));
  return kGateFailed;
}

}  // namespace
}  // namespace strobe::cli

int main(int argc, char** argv) {
  using strobe::cli::say;
  try {
    return strobe::cli::run({argv + (argc > 0 ? 1 : 0), argv + argc});
  } catch (const std::bad_alloc&) {
    say("strobe: out of memory\n  hint: try fewer traces at once, or a machine with more memory\n");
    return strobe::cli::exit_code_of(strobe::ErrorCode::kMachineLacks);
  } catch (const std::exception& error) {
    say(std::string("strobe: bug: ") + error.what() +
        "\n  hint: please report it with the trace\n");
  }
  return strobe::cli::kBugInStrobe;
}
