#include "strobe/cli/command_line.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "strobe/cli/output.h"

namespace strobe::cli {
namespace {

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
  std::string hint = "`strobe help` lists the commands";
  if (!meant.empty()) {
    hint = fmt::format("did you mean `strobe {}`?", meant);
  } else if (is_flag) {
    hint =
        "the command comes first, as in `strobe summary trace.json`; `strobe help` lists the "
        "commands";
  } else if (is_file) {
    hint = fmt::format("to see where its time went: `strobe summary {}`", typed);
  }
  return bad_request(fmt::format("unknown command '{}'", typed), "", std::move(hint));
}

Error unknown_flag(const std::string& typed, std::string_view command,
                   const std::vector<Flag>& flags) {
  std::vector<std::string> known;
  for (const Flag& flag : flags) {
    known.push_back(dashed(flag));
    if (flag.is_negatable) known.push_back(fmt::format("--no-{}", flag.name));
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string word = typed.substr(0, typed.find('='));
  const std::string_view meant = word.starts_with("--") ? nearest(word, names) : std::string_view{};
  return bad_request(fmt::format("`strobe {}` has no flag '{}'", command, word), "",
                     meant.empty() ? fmt::format("`strobe {} --help` lists the flags", command)
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

// A flag as it was typed.
struct TypedFlag {
  const Flag* flag = nullptr;
  std::string value;
};

Result<void> take(const TypedFlag& typed) {
  const Flag& flag = *typed.flag;
  const std::string name = dashed(flag);
  if (flag.value.empty()) {
    const std::optional<bool> on = truth_of(typed.value);
    if (on) return flag.target.take(name, *on ? "on" : "off");
    return bad_request(fmt::format("'{}' is neither on nor off", typed.value), name,
                       fmt::format("`{0}` alone switches it on", name));
  }
  const auto missing = [&] {
    return flag.target.choices.empty()
               ? bad_request(fmt::format("needs a value: {}", flag.value), name)
               : not_one_of(name, "", flag.target.choices);
  };
  if (typed.value.empty()) return missing();
  if (!flag.target.is_list) return flag.target.take(name, typed.value);
  bool is_empty = true;
  for (std::size_t start = 0; start < typed.value.size();) {
    const std::size_t comma = std::min(typed.value.find(',', start), typed.value.size());
    const std::string piece = typed.value.substr(start, comma - start);
    start = comma + 1;
    if (piece.empty()) continue;
    is_empty = false;
    STROBE_TRY_VOID(flag.target.take(name, piece));
  }
  return is_empty ? Result<void>(missing()) : Result<void>();
}

// Walks over the words after a verb.
class FlagReader {
 public:
  FlagReader(const std::vector<std::string>& words, std::string_view command,
             const std::vector<Flag>& flags)
      : words_(words), command_(command), flags_(flags), arguments_(flags) {}

  Result<Arguments> read() && {
    for (; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {  // after it nothing is a flag
        std::copy(words_.begin() + static_cast<std::ptrdiff_t>(at_) + 1, words_.end(),
                  std::back_inserter(arguments_.positionals));
        break;
      }
      if (word.empty()) {
        return bad_request("an argument is empty", "",
                           "quote variables and check that they are set");
      }
      if (word.starts_with("--")) {
        STROBE_TRY_VOID(read_long(word));
      } else if (word.size() > 1 && word[0] == '-') {
        STROBE_TRY_VOID(read_letters(word));
      } else {
        arguments_.positionals.push_back(word);
      }
    }
    // Unknown flags were reported above: they explain other errors.
    for (const TypedFlag& one : typed_) {
      arguments_.add(one.flag->name);
      STROBE_TRY_VOID(take(one));
    }
    STROBE_TRY_VOID(take_format_of_output());
    return std::move(arguments_);
  }

 private:
  // -o report.html means --format html, unless a format was typed.
  Result<void> take_format_of_output() {
    const auto format = std::ranges::find(flags_, "format", &Flag::name);
    if (format == flags_.end() || arguments_.has("format")) return {};
    std::string_view word;
    for (const TypedFlag& one : typed_) {
      if (one.flag->name == "output") word = format_word(one.value);
    }
    const auto& choices = format->target.choices;
    if (word.empty() || std::ranges::find(choices, word) == choices.end()) return {};
    return take({&*format, std::string(word)});
  }

  // --top 3, --top=3, --cache, --no-cache, --cache=off
  Result<void> read_long(const std::string& word) {
    const std::size_t sign = word.find('=');
    const std::string_view name = std::string_view(word).substr(2, sign - 2);
    const bool has_value = sign != std::string::npos;
    const std::string value = has_value ? word.substr(sign + 1) : "";
    for (const Flag& flag : flags_) {
      if (flag.name == name && !flag.value.empty()) {
        typed_.push_back({&flag, has_value ? value : next_value()});
        return {};
      }
      if (flag.name == name) {
        typed_.push_back({&flag, has_value ? value : "on"});
        return {};
      }
      if (flag.is_negatable && name == fmt::format("no-{}", flag.name)) {
        typed_.push_back({&flag, "off"});
        return {};
      }
    }
    return unknown_flag(word, command_, flags_);
  }

  // -q, -qv, -o FILE, -oFILE
  Result<void> read_letters(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const auto flag = std::ranges::find(flags_, word[i], &Flag::letter);
      if (flag == flags_.end()) return unknown_flag(word, command_, flags_);
      if (flag->value.empty()) {
        typed_.push_back({&*flag, "on"});
        continue;
      }
      typed_.push_back({&*flag, i + 1 < word.size() ? word.substr(i + 1) : next_value()});
      break;
    }
    return {};
  }

  // The next word, unless it is a flag itself; a negative number is not a flag.
  std::string next_value() {
    if (at_ + 1 == words_.size()) return "";
    const std::string& next = words_[at_ + 1];
    const bool is_flag = next.size() > 1 && next[0] == '-' && (next[1] < '0' || next[1] > '9');
    if (is_flag) return "";
    ++at_;
    return next;
  }

  const std::vector<std::string>& words_;
  std::string_view command_;
  const std::vector<Flag>& flags_;
  std::size_t at_ = 0;
  std::vector<TypedFlag> typed_;
  Arguments arguments_;
};

// Whether a word in the place of an action is a file for the usual action.
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

// For a verb with actions: the one that `words` start with, which is then removed from them.
Result<Command> choose_action(const Command& verb, std::vector<std::string>& words) {
  if (verb.run && (words.empty() || find_action(verb, words[0]) == nullptr)) return verb;
  if (words.empty()) {
    return bad_request(
        fmt::format("`strobe {}` needs an action: {}", verb.name, joined(action_words(verb))), "",
        fmt::format("`strobe {} --help` explains them", verb.name));
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
  return bad_request(fmt::format("unknown action '{}' of `strobe {}`", words[0], verb.name), "",
                     meant.empty() ? fmt::format("the actions are {}", joined(action_words(verb)))
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
  Request request{.command = std::move(command), .arguments = {}, .common = {}};
  request.common.help = asks_for_help(rest);  // even if other words are wrong
  if (request.common.help) return request;
  std::vector<Flag> flags = request.command.flags;
  std::ranges::copy(common_flags(request.common), std::back_inserter(flags));
  STROBE_TRY(request.arguments, parse_flags(rest, request.command.name, flags));
  const auto& words_left = request.arguments.positionals;
  if (request.command.positionals.empty() && !words_left.empty()) {
    return bad_request(
        fmt::format("`strobe {}` takes no argument '{}'", request.command.name, words_left[0]), "",
        fmt::format("`strobe {} --help` shows how it is called", request.command.name));
  }
  return request;
}

Result<Arguments> parse_flags(const std::vector<std::string>& words, std::string_view command,
                              const std::vector<Flag>& flags) {
  return FlagReader(words, command, flags).read();
}

Terminal terminal_for(const CommonOptions& options, const TerminalFacts& facts) {
  Terminal terminal = judge(facts, options.color);
  terminal.quiet = options.quiet;
  terminal.verbose = options.verbose;
  return terminal;
}

}  // namespace strobe::cli
