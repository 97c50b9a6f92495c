#include "tests/support/golden_page.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>
#include <utility>

namespace strobe::test {
namespace {

constexpr std::string_view kMark = "--- ";
constexpr std::string_view kArrow = " => ";
constexpr std::string_view kNoNewline = "no-newline";

bool is_header(std::string_view line) {
  return line.size() > kMark.size() && line.starts_with(kMark) && line[kMark.size()] != ' ' &&
         line[kMark.size()] != '-';
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

struct Section {
  std::string header;  // without the mark
  std::vector<std::string> words;
  std::string body;
};

// Without the newline that ends the last line, when the header says so.
std::string text_of(const Section& section) {
  std::string text = section.body;
  const bool bare = !section.words.empty() && section.words.back() == kNoNewline;
  if (bare && text.ends_with('\n')) text.pop_back();
  return text;
}

std::optional<Mask> mask_of(const std::string& header) {
  const std::size_t arrow = header.find(kArrow);
  if (arrow == std::string::npos) return std::nullopt;
  const std::string prefix = "mask ";
  return Mask{header.substr(prefix.size(), arrow - prefix.size()),
              header.substr(arrow + kArrow.size())};
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// What belongs to the last run. Returns the problem, or "".
std::string add_to_run(const Section& section, PageRun& run) {
  const std::string& kind = section.words[0];
  Expectation& expected = run.expected;
  if (kind == "stdout") {
    expected.out = text_of(section);
  } else if (kind == "stderr") {
    expected.err = text_of(section);
  } else if (kind == "files") {
    expected.files = section.body;
  } else if (kind == "contents") {
    if (section.words.size() < 2) return "contents needs the name of a file";
    expected.contents[section.words[1]] = text_of(section);
  } else if (kind == "exit") {
    const auto words = words_of(section.body);
    const auto code = words.size() == 1 ? whole_number(words[0]) : std::nullopt;
    if (!code) return "exit needs one number";
    expected.exit_code = static_cast<int>(*code);
  } else if (kind == "stdin") {
    if (section.words.size() != 2) return "stdin needs the name of a file";
    run.stdin_file = section.words[1];
  } else if (kind == "memory") {
    const auto megabytes =
        section.words.size() == 3 ? whole_number(section.words[1]) : std::nullopt;
    if (!megabytes || section.words[2] != "MB") return "memory is written `--- memory 300 MB`";
    run.peak_bytes = *megabytes * 1'000'000;
  } else {
    return "unknown section '" + section.header + "' after a run";
  }
  return {};
}

std::string add_section(const Section& section, GoldenPage& page) {
  if (section.words[0] == "mask") {
    const auto mask = mask_of(section.header);
    if (!mask) return "a mask is written `--- mask REGEX => TEXT`";
    page.masks.push_back(*mask);
  } else if (section.words[0] == "run") {
    std::string command = section.body;
    while (command.ends_with('\n')) command.pop_back();
    if (command.empty() || command.find('\n') != std::string::npos) return "a run is one line";
    page.runs.push_back({.command = command, .stdin_file = "", .peak_bytes = {}, .expected = {}});
  } else if (!page.runs.empty()) {
    return add_to_run(section, page.runs.back());
  } else {
    page.inputs.push_back(
        {section.words[0], {section.words.begin() + 1, section.words.end()}, section.body});
  }
  return {};
}

void append_text(std::string& out, const std::string& header, const std::string& text) {
  out += std::string(kMark) + header;
  if (!text.empty() && !text.ends_with('\n')) {
    out += " " + std::string(kNoNewline) + "\n" + text + "\n";
  } else {
    out += "\n" + text;
  }
}

void append_run(std::string& out, const PageRun& run) {
  append_text(out, "run", run.command + "\n");
  if (!run.stdin_file.empty()) append_text(out, "stdin " + run.stdin_file, "");
  if (run.peak_bytes) {
    append_text(out, "memory " + std::to_string(*run.peak_bytes / 1'000'000) + " MB", "");
  }
  const Expectation& expected = run.expected;
  if (!expected.out.empty()) append_text(out, "stdout", expected.out);
  if (!expected.err.empty()) append_text(out, "stderr", expected.err);
  if (expected.exit_code != 0) {
    append_text(out, "exit", std::to_string(expected.exit_code) + "\n");
  }
  if (expected.files) append_text(out, "files", *expected.files);
  for (const auto& [name, text] : expected.contents) append_text(out, "contents " + name, text);
}

}  // namespace

ParsedPage parse_page(std::string_view text) {
  ParsedPage parsed;
  std::vector<Section> sections;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_header(line)) {
      const std::string_view header = line.substr(kMark.size());
      sections.push_back({std::string(header), words_of(header), ""});
    } else if (!sections.empty()) {
      sections.back().body.append(line).push_back('\n');
    } else if (line.starts_with('#')) {
      parsed.page.reason.emplace_back(line);
    } else if (!line.empty()) {
      parsed.problem = "a page opens with `# reason`, not with: " + std::string(line);
      return parsed;
    }
  }
  for (const Section& section : sections) {
    parsed.problem = add_section(section, parsed.page);
    if (!parsed.problem.empty()) return parsed;
  }
  if (parsed.page.reason.empty()) parsed.problem = "a page opens with its reason: `# ...`";
  if (parsed.page.runs.empty()) parsed.problem = "a page needs a `--- run` section";
  return parsed;
}

std::string page_text(const GoldenPage& page) {
  std::string out;
  for (const std::string& line : page.reason) out += line + "\n";
  for (const InputFile& input : page.inputs) {
    out += std::string(kMark) + input.name;
    for (const std::string& word : input.words) out += " " + word;
    out += "\n" + input.content;
  }
  for (const Mask& mask : page.masks) {
    out +=
        std::string(kMark) + "mask " + mask.pattern + std::string(kArrow) + mask.replacement + "\n";
  }
  for (const PageRun& run : page.runs) append_run(out, run);
  return out;
}

std::vector<std::string> command_words(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (const char c : line) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (c == ' ') {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

}  // namespace strobe::test
