#include "strobe/cli/command.h"

#include <algorithm>

#include "strobe/base/check.h"

namespace strobe::cli {

bool Arguments::has(std::string_view flag) const {
  STROBE_CHECK(std::ranges::find(known_, flag) != known_.end(), "the command declares this flag");
  return std::ranges::find(typed_, flag) != typed_.end();
}

std::string_view Arguments::first_of(std::initializer_list<std::string_view> flags) const {
  const auto found = std::ranges::find_if(flags, [&](std::string_view flag) { return has(flag); });
  return found == flags.end() ? std::string_view{} : *found;
}

std::vector<Command> commands() {
  return {summary_command(), compare_command(), fleet_command(), record_command(),
          kernels_command(), bench_command(),   query_command(), view_command(),
          convert_command(), serve_command(),   mcp_command(),   doctor_command(),
          help_command(),    version_command()};
}

std::vector<Command> shown_actions(const Command& verb) {
  std::vector<Command> shown = verb.actions;
  std::erase_if(shown, [](const Command& action) { return action.is_hidden; });
  return shown;
}

std::string_view action_word(const Command& command) {
  return command.name.substr(command.name.rfind(' ') + 1);
}

std::vector<Flag> common_flags(CommonOptions& options) {
  static constexpr Word<ColorChoice> kColors[] = {{"auto", ColorChoice::kAuto},
                                                  {"always", ColorChoice::kAlways},
                                                  {"never", ColorChoice::kNever}};
  return {flag("--color WHEN",
               "colour the text: auto (on a terminal, unless NO_COLOR is set), always or never",
               to_choice(options.color, kColors)),
          flag("-q, --quiet", "print no progress and no warnings; errors are still printed",
               to(options.quiet)),
          flag("-v, --verbose", "print more on stderr, such as the time of each stage",
               to(options.verbose)),
          flag("-h, --help", "show this help", to(options.help))};
}

Flag output_flag(std::string& output) {
  return flag("-o, --output FILE",
              "write to FILE; an error leaves no partial file (default: stdout)", to(output));
}

Flag format_flag(Format& format) {
  static constexpr Word<Format> kFormats[] = {{"text", Format::kText},
                                              {"json", Format::kJson},
                                              {"csv", Format::kCsv},
                                              {"markdown", Format::kMarkdown},
                                              {"html", Format::kHtml}};
  return flag(
      "--format FORMAT",
      "text, json, csv, markdown or html (default: what the ending of --output's FILE means: "
      ".txt, .json, .csv, .md or .html; else text)",
      to_choice(format, kFormats));
}

Flag text_or_json_flag(Format& format) {
  static constexpr Word<Format> kFormats[] = {{"text", Format::kText}, {"json", Format::kJson}};
  return flag("--format FORMAT", "text or json", to_choice(format, kFormats));
}

std::vector<std::string> input_names(const std::vector<std::string>& typed) {
  std::vector<std::string> names = typed;
  std::ranges::replace(names, "-", "/dev/stdin");
  return names;
}

}  // namespace strobe::cli
