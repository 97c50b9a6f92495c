#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/flag.h"
#include "strobe/cli/terminal.h"

// A verb as data. Help, manual page, completion and the parser all read this one spec; a verb is in
// one file, <verb>_command.cc, and is listed in command.cc.
namespace strobe::cli {

struct Example {
  std::string_view command;
  std::string_view effect;
};

// The words after the verb, except the values of flags, which are already in the request.
class Arguments {
 public:
  std::vector<std::string> positionals;

  Arguments() = default;
  explicit Arguments(const std::vector<Flag>& flags) {
    for (const Flag& flag : flags) known_.push_back(flag.name);
  }
  void add(std::string_view flag) { typed_.push_back(flag); }
  // Whether a flag was typed. `flag` must be one of the command's flags.
  bool has(std::string_view flag) const;
  // The first of these that was typed, or "".
  std::string_view first_of(std::initializer_list<std::string_view> flags) const;

 private:
  std::vector<std::string_view> known_;
  std::vector<std::string_view> typed_;
};

// The result of a verb that ran without an error. A failed gate is part of the result.
struct Outcome {
  std::string failed_gate = {};  // why; "" if none failed
  std::string hint = {};
  int exit_code = 0;  // of a program that the verb has run
};

struct Command {
  std::string_view name;                     // as typed: "summary"; for an action "kernels show"
  std::string_view summary;                  // one line, for the list of verbs
  std::string_view positionals = {};         // "TRACE...", "" if it takes none
  std::string_view positionals_help = {};    // their description
  std::vector<Example> examples;             // shown first in the help
  std::vector<std::string_view> notes = {};  // paragraphs below the flags
  std::string_view verbose_adds = {};        // what else -v does here
  std::vector<Flag> flags = {};              // its own; common_flags() are added
  std::function<Result<Outcome>(const Arguments& arguments, const Terminal& terminal)> run = {};
  std::vector<Command> actions = {};  // `strobe kernels show`: the actions of the verb
  // Used if the first word is not an action. "": the verb itself, if it can run.
  std::string_view usual_action = {};
  bool is_hidden = false;  // internal: not listed in the help
};

// A command with its own request: `flags(request)` fill it, `complete(request, arguments)` finishes
// it and `run(request, terminal)` executes it.
template <class Request, class Complete, class Run>
Command with_request(Command command, std::vector<Flag> (*flags)(Request&), Complete complete,
                     Run run) {
  const auto request = std::make_shared<Request>();
  command.flags = flags(*request);
  command.run = [request, complete, run](const Arguments& arguments,
                                         const Terminal& terminal) -> Result<Outcome> {
    STROBE_TRY_VOID(complete(*request, arguments));
    if constexpr (std::is_same_v<decltype(run(*request, terminal)), Result<void>>) {
      STROBE_TRY_VOID(run(*request, terminal));
      return Outcome{};
    } else {
      return run(*request, terminal);
    }
  };
  return command;
}

// A request that needs no completion beyond its flags.
template <class Request, class Run>
Command with_request(Command command, std::vector<Flag> (*flags)(Request&), Run run) {
  const auto complete = [](Request&, const Arguments&) { return Result<void>(); };
  return with_request(std::move(command), flags, complete, run);
}

// The actions that help and completion list.
std::vector<Command> shown_actions(const Command& verb);

// The last word of its name: "show".
std::string_view action_word(const Command& command);

// The same in every verb.
struct CommonOptions {
  ColorChoice color = ColorChoice::kAuto;
  bool quiet = false;
  bool verbose = false;
  bool help = false;
};
std::vector<Flag> common_flags(CommonOptions& options);

Flag output_flag(std::string& output);  // for verbs with an answer to write

// The format of an answer; each verb supports those that make sense for it.
enum class Format : std::uint8_t { kText, kJson, kCsv, kMarkdown, kHtml, kTsv, kClassic };
Flag format_flag(Format& format);        // text, json, csv, markdown or html
Flag text_or_json_flag(Format& format);  // text or json

inline constexpr std::size_t kRowsOnAPage = 10;  // of a table in text; other formats have all rows

// "-" is stdin.
std::vector<std::string> input_names(const std::vector<std::string>& typed);

// Every verb, in the order in which help lists them.
std::vector<Command> commands();

Command summary_command();
Command compare_command();
Command fleet_command();
Command record_command();
Command kernels_command();
Command bench_command();
Command view_command();
Command query_command();
Command convert_command();
Command serve_command();
Command mcp_command();
Command doctor_command();
Command help_command();
Command version_command();

}  // namespace strobe::cli
