#include "strobe/cli/command_line.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "strobe/cli/suggestion.h"

namespace strobe::cli {
namespace {

Error bad_command_line(std::string what, std::string where, std::string hint) {
  return {.code = ErrorCode::kInvalidArgument,
          .what = std::move(what),
          .where = std::move(where),
          .hint = std::move(hint)};
}

std::string dashed(const Flag& flag) { return fmt::format("--{}", flag.name); }

std::string verb_of(const std::vector<std::string>& words) {
  if (words.empty() || words[0] == "--help" || words[0] == "-h") return "help";
  if (words[0] == "--version" || words[0] == "-V") return "version";
  return words[0];
}

Error unknown_verb(const std::string& typed, const std::vector<Command>& commands) {
  std::vector<std::string_view> names;
  for (const Command& command : commands) names.push_back(command.name);
  const std::string_view meant = nearest(typed, names);
  const bool is_flag = typed.starts_with("-");
  const bool is_file = typed.find_first_of("./") != std::string::npos;
  std::string hint = "`strobe help` lists the verbs";
  if (!meant.empty()) {
    hint = fmt::format("did you mean `strobe {}`?", meant);
  } else if (is_flag) {
    hint = "the verb comes first, as in `strobe summary trace.json`; `strobe help` lists the verbs";
  } else if (is_file) {
    hint = fmt::format("to see where its time went: `strobe summary {}`", typed);
  }
  return bad_command_line(is_flag ? fmt::format("'{}' stands where a verb belongs", typed)
                                  : fmt::format("'{}' is not a verb of strobe", typed),
                          "", std::move(hint));
}

Error unknown_flag(const std::string& typed, const Command& command,
                   const std::vector<Flag>& flags) {
  std::vector<std::string> known;
  for (const Flag& flag : flags) {
    known.push_back(dashed(flag));
    if (flag.kind == FlagKind::kNegatable) known.push_back(fmt::format("--no-{}", flag.name));
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string word = typed.substr(0, typed.find('='));
  const std::string_view meant = word.starts_with("--") ? nearest(word, names) : std::string_view{};
  return bad_command_line(fmt::format("`strobe {}` has no flag '{}'", command.name, word), "",
                          meant.empty()
                              ? fmt::format("`strobe {} --help` lists the flags", command.name)
                              : fmt::format("did you mean '{}'?", meant));
}

std::optional<bool> truth_of(std::string_view word) {
  for (const std::string_view yes : {"true", "on", "yes", "1"}) {
    if (equal_ignoring_case(word, yes)) return true;
  }
  for (const std::string_view no : {"false", "off", "no", "0"}) {
    if (equal_ignoring_case(word, no)) return false;
  }
  return std::nullopt;
}

// One flag's typed values, checked against its spec.
Result<void> take_values(const Flag& flag, const std::vector<std::string>& typed,
                         Arguments& arguments) {
  for (const std::string& value : typed) {
    if (flag.kind == FlagKind::kSwitch || flag.kind == FlagKind::kNegatable) {
      const std::optional<bool> on = truth_of(value);
      if (!on) {
        return bad_command_line(fmt::format("'{}' is neither on nor off", value), dashed(flag),
                                fmt::format("`{0}` alone switches it on", dashed(flag)));
      }
      arguments.add(flag.name, *on ? "on" : "off");
      continue;
    }
    const auto is_value = [&](std::string_view choice) {
      return equal_ignoring_case(choice, value);
    };
    const auto choice = std::ranges::find_if(flag.choices, is_value);
    if (!flag.choices.empty() && choice == flag.choices.end()) {
      return not_one_of(dashed(flag), value, flag.choices);
    }
    if (value.empty()) {
      return bad_command_line(fmt::format("needs a value: {}", flag.value), dashed(flag), "");
    }
    arguments.add(flag.name, flag.choices.empty() ? value : std::string(*choice));
  }
  return {};
}

std::string spelling(const Flag& flag) {
  std::string names = dashed(flag);
  if (flag.letter != 0) names += fmt::format(",-{}", flag.letter);
  if (flag.kind == FlagKind::kNegatable) names += fmt::format(",!--no-{}", flag.name);
  return names;
}

// What the parser left: positionals, except that a leading dash is a flag nobody knows.
Result<void> take_positionals(const std::vector<std::string>& left, const Command& command,
                              const std::vector<Flag>& flags, Arguments& arguments) {
  for (const std::string& word : left) {
    if (word.size() > 1 && word[0] == '-') {
      return unknown_flag(word, command, flags);
    } else if (word.empty()) {
      return bad_command_line("an argument is empty", "",
                              "quote variables and check that they are set");
    } else {
      arguments.positionals.push_back(word);
    }
  }
  return {};
}

Result<Arguments> parse_flags(std::vector<std::string> words, const Command& command) {
  const std::vector<Flag> flags = all_flags(command);
  // Behind "--" nothing is a flag. The parser would not always see it: it takes the two dashes for
  // the end of a flag's values.
  const auto dashes = std::ranges::find(words, "--");
  const std::vector<std::string> verbatim(dashes == words.end() ? dashes : dashes + 1, words.end());
  words.erase(dashes, words.end());
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<CLI::Option*> options;
  for (const Flag& flag : flags) {
    const bool has_value = flag.kind == FlagKind::kValue || flag.kind == FlagKind::kList;
    // A missing value is let through as "", so that the complaint is in our words.
    CLI::Option* option =
        has_value ? app.add_option(spelling(flag))->expected(0, 1) : app.add_flag(spelling(flag));
    options.push_back(option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll));
  }
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    return bad_command_line(error.what(), "",
                            fmt::format("`strobe {} --help` lists the flags", command.name));
  }
  Arguments arguments;
  STROBE_TRY_VOID(take_positionals(app.remaining(), command, flags, arguments));
  std::ranges::copy(verbatim, std::back_inserter(arguments.positionals));
  for (std::size_t i = 0; i < flags.size(); ++i) {
    STROBE_TRY_VOID(take_values(flags[i], options[i]->results(), arguments));
  }
  return arguments;
}

// What stands where an action belongs: an action, or a file for the usual one.
bool looks_like_a_file(const std::string& word) {
  std::error_code ignored;
  return word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, ignored);
}

const Command* find_action(const Command& verb, std::string_view word) {
  const auto found = std::ranges::find(verb.actions, word, action_word);
  return found == verb.actions.end() ? nullptr : &*found;
}

std::vector<std::string_view> action_words(const Command& verb) {
  std::vector<std::string_view> words;
  for (const Command& action : shown_actions(verb)) words.push_back(action_word(action));
  return words;
}

// Of a verb with actions the one that `words` start with, which is then taken off them.
Result<Command> choose_action(const Command& verb, std::vector<std::string>& words) {
  if (words.empty()) {
    return bad_command_line(fmt::format("`strobe {}` needs to know what to do: {}", verb.name,
                                        joined(action_words(verb))),
                            "", fmt::format("`strobe {} --help` explains them", verb.name));
  }
  if (const Command* action = find_action(verb, words[0])) {
    words.erase(words.begin());
    return *action;
  }
  const std::string_view meant = nearest(words[0], action_words(verb));
  const Command* usual = find_action(verb, verb.usual_action);
  const bool mistyped =
      !meant.empty() && !words[0].starts_with("-") && !looks_like_a_file(words[0]);
  if (usual != nullptr && !mistyped) return *usual;
  return bad_command_line(
      fmt::format("'{}' is nothing that `strobe {}` does", words[0], verb.name), "",
      meant.empty() ? fmt::format("it does {}", joined(action_words(verb)))
                    : fmt::format("did you mean `strobe {} {}`?", verb.name, meant));
}

bool asks_for_help(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

}  // namespace

Result<Command> find_command(const std::vector<std::string>& words,
                             const std::vector<Command>& commands) {
  const std::string_view verb = words.empty() ? std::string_view{} : words[0];
  const auto command = std::ranges::find(commands, verb, &Command::name);
  if (command == commands.end()) {
    std::vector<std::string_view> names;
    for (const Command& known : commands) names.push_back(known.name);
    return not_one_of("help", verb, names);
  }
  if (words.size() == 1 || command->actions.empty()) return *command;
  if (const Command* action = find_action(*command, words[1])) return *action;
  return not_one_of(fmt::format("help {}", verb), words[1], action_words(*command));
}

Result<Request> parse_command_line(const std::vector<std::string>& words,
                                   const std::vector<Command>& commands) {
  const std::string verb = verb_of(words);
  const auto found = std::ranges::find(commands, verb, &Command::name);
  if (found == commands.end()) return unknown_verb(verb, commands);
  Command command = *found;
  std::vector<std::string> rest(words.begin() + (words.empty() ? 0 : 1), words.end());
  const bool is_about_the_verb = !rest.empty() && (rest[0] == "--help" || rest[0] == "-h");
  if (!command.actions.empty() && !is_about_the_verb) {
    STROBE_TRY(command, choose_action(*found, rest));
  }
  if (asks_for_help(rest)) {  // whatever else may be wrong
    Arguments arguments;
    arguments.add("help", "on");
    return Request{std::move(command), std::move(arguments)};
  }
  STROBE_TRY(Arguments arguments, parse_flags(rest, command));
  if (command.positionals.empty() && !arguments.positionals.empty()) {
    return bad_command_line(
        fmt::format("`strobe {}` takes no '{}'", command.name, arguments.positionals[0]), "",
        fmt::format("`strobe {} --help` shows how it is called", command.name));
  }
  return Request{std::move(command), std::move(arguments)};
}

Terminal terminal_for(const Arguments& arguments, const TerminalFacts& facts) {
  const std::string when = arguments.get("color", "auto");
  Terminal terminal = judge(facts, when == "always"  ? ColorChoice::kAlways
                                   : when == "never" ? ColorChoice::kNever
                                                     : ColorChoice::kAuto);
  terminal.quiet = arguments.is_on("quiet");
  terminal.verbose = arguments.is_on("verbose");
  return terminal;
}

}  // namespace strobe::cli
