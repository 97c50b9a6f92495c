#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/result.h"
#include "strobe/cli/terminal.h"

// A verb as data. Help, manual page, completion and the parser itself all read this one spec; a
// verb lives in one file, <verb>_command.cc, and is listed in commands.cc.
namespace strobe::cli {

enum class FlagKind {
  kValue,     // --top N
  kList,      // --views A,B; may be repeated, the lists add up
  kSwitch,    // --quiet
  kNegatable  // --op-detail, --no-op-detail, --op-detail=off
};

struct Flag {
  std::string_view name;  // without its dashes
  FlagKind kind = FlagKind::kSwitch;
  std::string_view value = {};  // how help calls the value: "FILE"
  std::string_view help;
  std::vector<std::string_view> choices = {};  // the only words accepted; empty: anything
  char letter = 0;                             // the short form, 0: none
};

struct Example {
  std::string_view command;
  std::string_view effect;
};

// What was typed after the verb. Names are known and choices checked; numbers and the like are for
// the verb to read.
class Arguments {
 public:
  std::vector<std::string> positionals;

  void add(std::string_view flag, std::string value) {
    values_[std::string(flag)].push_back(std::move(value));
  }
  bool has(std::string_view flag) const { return values_.find(flag) != values_.end(); }
  // The last one typed, or `fallback`.
  std::string get(std::string_view flag, std::string_view fallback = {}) const;
  // Everything typed for a list, in order, cut at the commas.
  std::vector<std::string> list(std::string_view flag) const;
  // The same uncut: values that may hold commas.
  std::vector<std::string> every(std::string_view flag) const;
  bool is_on(std::string_view flag, bool fallback = false) const;

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// How a verb ended that could answer. A gate that failed is a part of the answer.
struct Outcome {
  std::string failed_gate = {};  // why, "": none did
  std::string hint = {};
};

struct Command {
  std::string_view name;                     // as typed: "summary"; of an action "kernels show"
  std::string_view summary;                  // one line, for the list of verbs
  std::string_view positionals = {};         // "TRACE...", "" if it takes none
  std::string_view positionals_help = {};    // what these are
  std::vector<Example> examples;             // help opens with them
  std::vector<std::string_view> notes = {};  // paragraphs below the flags
  std::vector<Flag> flags = {};              // its own; common_flags() come on top
  Result<Outcome> (*run)(const Arguments& arguments, const Terminal& terminal) = nullptr;
  std::vector<Command> actions = {};   // `strobe kernels show`: what the verb can be told to do
  std::string_view usual_action = {};  // meant where the first word is none of them
  bool is_hidden = false;              // strobe's own business: no help lists it
};

// A function that has no gates, as Command::run.
template <Result<void> (*function)(const Arguments&, const Terminal&)>
Result<Outcome> answered(const Arguments& arguments, const Terminal& terminal) {
  STROBE_TRY_VOID(function(arguments, terminal));
  return Outcome{};
}

// The actions that help and completion speak of.
std::vector<Command> shown_actions(const Command& verb);

// The last word of its name: "show".
std::string_view action_word(const Command& command);

// --color, --quiet, -v, --help: the same in every verb.
std::vector<Flag> common_flags();
Flag output_flag();  // --output, for the verbs that have an answer to keep
// The verb's own flags, then the common ones.
std::vector<Flag> all_flags(const Command& command);

// Every verb, in the order in which help lists them.
std::vector<Command> commands();

Command summary_command();
Command compare_command();
Command kernels_command();
Command bench_command();
Command view_command();
Command serve_command();
Command doctor_command();
Command help_command();
Command version_command();

}  // namespace strobe::cli
