#include "strobe/report/render/display_text.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "strobe/base/text.h"

namespace strobe::report {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
};

// The first code point; kReplacement of one byte for invalid UTF-8.
CodePoint decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {kReplacement, 1};
  char32_t value = lead & (0xFFu >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {kReplacement, 1};
    value = value << 6 | (byte(i) & 0x3Fu);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (overlong || surrogate || value > 0x10FFFF) return {kReplacement, 1};
  return {value, length};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(char32_t c, const Range (&ranges)[N]) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [c](const Range& range) { return c >= range.first && c <= range.last; });
}

// Control characters, line and paragraph separators, direction marks, tags, invisible characters.
constexpr Range kObeyed[] = {{0x00, 0x1F},     {0x7F, 0x9F},      {0xAD, 0xAD},
                             {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                             {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                             {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
constexpr Range kZeroWidth[] = {{0x300, 0x36F},   {0x483, 0x489},    {0x591, 0x5BD},
                                {0x610, 0x61A},   {0x64B, 0x65F},    {0x1AB0, 0x1AFF},
                                {0x1DC0, 0x1DFF}, {0x20D0, 0x20FF},  {0xFE00, 0xFE0F},
                                {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};
constexpr Range kWide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x2614, 0x2615},
    {0x2648, 0x2653},   {0x26AA, 0x26AB},   {0x2705, 0x2705},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x2753, 0x2757},   {0x2795, 0x2797},   {0x2B1B, 0x2B1C},
    {0x2B50, 0x2B50},   {0x2E80, 0x303E},   {0x3041, 0x33FF},   {0x3400, 0x4DBF},
    {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD}};

std::size_t columns_of_one(char32_t c) {
  if (c < 0x300) return 1;
  if (is_in(c, kZeroWidth)) return 0;
  return is_in(c, kWide) ? 2 : 1;
}

// The length in bytes of the longest prefix that is at most `columns` wide.
std::size_t head_bytes(std::string_view text, std::size_t columns) {
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const CodePoint c = decode(text.substr(at));
    used += columns_of_one(c.value);
    if (used > columns) break;
    at += c.bytes;
  }
  return at;
}

// Where the longest suffix that is at most `columns` wide begins.
std::size_t tail_begin(std::string_view text, std::size_t columns) {
  std::size_t total = columns_of(text);
  std::size_t at = 0;
  while (at < text.size() && total > columns) {
    const CodePoint c = decode(text.substr(at));
    total -= columns_of_one(c.value);
    at += c.bytes;
  }
  return at;
}

bool is_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// "void f<4>(int) [clone]" becomes "f<4>". A parameter list opens outside all brackets, directly
// after a word or a template, and only a remark follows it: "file.py(12): call" has none.
std::string_view without_signature(std::string_view name) {
  constexpr std::string_view kVoid = "void ";
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  int depth = 0;
  std::size_t open = std::string_view::npos;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (c == '<' || c == '[' || c == '{' || c == '(') {
      if (c == '(' && depth == 0 && i > 0 && (is_identifier(name[i - 1]) || name[i - 1] == '>')) {
        open = i;
      }
      ++depth;
    } else if (c == '>' || c == ']' || c == '}' || c == ')') {
      --depth;
      const bool closes_list = c == ')' && depth == 0 && open != std::string_view::npos;
      if (closes_list && (i + 1 == name.size() || name[i + 1] == ' ')) return name.substr(0, open);
    }
  }
  return name;
}

// Drops every "word::" and "(anonymous namespace)::".
std::string without_namespaces(std::string_view name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name.substr(i, 2) != "::") {
      out += name[i];
      continue;
    }
    if (std::string_view(out).ends_with(kAnonymous)) {
      out.resize(out.size() - kAnonymous.size());
      ++i;
      continue;
    }
    std::size_t begin = out.size();
    while (begin > 0 && is_identifier(out[begin - 1])) --begin;
    if (begin == out.size() && begin > 0) {
      out += name[i];  // after a template or a call: its member matters
      continue;
    }
    out.resize(begin);
    ++i;
  }
  return out;
}

}  // namespace

std::string printable(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text.substr(at));
    if (c.value == '\t' || c.value == '\n' || c.value == '\r') {
      out += ' ';
    } else if (is_in(c.value, kObeyed) || c.value == kReplacement) {
      out += unicode ? "\xEF\xBF\xBD" : "?";
    } else if (!unicode && c.value >= 0x80) {
      out += '?';
    } else {
      out += text.substr(at, c.bytes);
    }
    at += c.bytes;
  }
  return out;
}

std::string capitalized(std::string text) {
  if (!text.empty() && is_lower(text[0])) text[0] = static_cast<char>(text[0] - ('a' - 'A'));
  return text;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint c = decode(text.substr(at));
    columns += columns_of_one(c.value);
    at += c.bytes;
  }
  return columns;
}

std::string cut_middle(std::string_view text, std::size_t columns, bool unicode) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::string_view ellipsis = unicode ? "…" : "...";
  const std::size_t ellipsis_columns = unicode ? 1 : 3;
  if (columns <= ellipsis_columns) return std::string(text.substr(0, head_bytes(text, columns)));
  const std::size_t kept = columns - ellipsis_columns;
  const std::size_t tail = kept / 3;
  std::string out(text.substr(0, head_bytes(text, kept - tail)));
  out += ellipsis;
  out += text.substr(tail_begin(text, tail));
  return out;
}

namespace {

std::string cut_end(std::string_view text, std::size_t columns, bool unicode) {
  if (columns_of(text) <= columns) return std::string(text);
  const std::size_t ellipsis_columns = unicode ? 1 : 3;
  if (columns <= ellipsis_columns) return std::string(text.substr(0, head_bytes(text, columns)));
  std::string out(text.substr(0, head_bytes(text, columns - ellipsis_columns)));
  return out + (unicode ? "…" : "...");
}

}  // namespace

namespace {

// In "evaluate_function: MulBackward" the part after the colon matters; the word before it may go.
std::string without_qualifier(std::string name, std::size_t columns, bool unicode) {
  const std::size_t colon = name.find(": ");
  if (colon == std::string::npos || columns_of(name) <= columns) return name;
  if (!std::all_of(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(colon),
                   is_identifier)) {
    return name;
  }
  return (unicode ? "…" : "...") + name.substr(colon);
}

// "elementwise_kernel[mul<f16>, vec8]": the text in brackets distinguishes it, so the text before
// them is cut. "" if there are none, or if they leave too little room.
std::string with_its_brackets(std::string_view name, std::size_t columns, bool unicode) {
  constexpr std::size_t kLeastRoom = 5;
  const std::size_t bracket = name.find('[');
  const bool has_brackets = name.ends_with(']') && bracket != std::string_view::npos &&
                            bracket > 0 && is_identifier(name[bracket - 1]);
  if (!has_brackets) return {};
  const std::string_view inside = name.substr(bracket);
  if (columns_of(inside) + kLeastRoom > columns) return {};
  return cut_end(name.substr(0, bracket), columns - columns_of(inside), unicode) +
         std::string(inside);
}

}  // namespace

std::string fit_name(std::string_view name, std::size_t columns, bool unicode) {
  if (columns_of(name) <= columns) return std::string(name);
  if (std::string fitted = with_its_brackets(name, columns, unicode); !fitted.empty()) {
    return fitted;
  }
  const std::string_view bare = without_signature(name);
  if (columns_of(bare) <= columns) return std::string(bare);
  const std::string plain = without_qualifier(without_namespaces(bare), columns, unicode);
  return plain.ends_with('>') ? cut_end(plain, columns, unicode)
                              : cut_middle(plain, columns, unicode);
}

namespace {

// The number of first bytes that all share, back to the start of the word that differs.
std::size_t shared_bytes(const std::vector<std::string>& texts) {
  std::size_t shared = texts.front().size();
  for (const std::string& text : texts) {
    const auto [mine, theirs] = std::mismatch(
        text.begin(), text.begin() + static_cast<std::ptrdiff_t>(std::min(shared, text.size())),
        texts.front().begin());
    shared = static_cast<std::size_t>(mine - text.begin());
  }
  const std::string& text = texts.front();
  const auto is_inside_word = [&](std::size_t at) {
    return (is_identifier(text[at]) && text[at] != '_') ||
           (static_cast<unsigned char>(text[at]) & 0x80u) != 0;
  };
  while (shared > 0 && is_inside_word(shared - 1)) --shared;
  return shared;
}

// The beginning, an ellipsis, and the text at `at`.
std::string cut_to(std::string_view text, std::size_t at, std::size_t columns, bool unicode) {
  const std::size_t ellipsis_columns = unicode ? 1 : 3;
  if (columns <= 2 * ellipsis_columns + 2) return cut_end(text, columns, unicode);
  const std::size_t head = head_bytes(text, (columns - ellipsis_columns) / 2);
  if (at <= head) return cut_end(text, columns, unicode);
  std::string out(text.substr(0, head));
  out += unicode ? "…" : "...";
  return out + cut_end(text.substr(at), columns - columns_of(out), unicode);
}

using NamesByText = std::map<std::string, std::vector<std::string_view>>;

// `rows` were all fitted to the same text; `taken` are the texts that others have.
void tell_apart(const std::vector<NameToFit>& names, const std::vector<std::size_t>& rows,
                bool unicode, NamesByText& taken, std::vector<std::string>& fitted) {
  std::set<std::string_view> whole;
  std::set<std::string> plain;
  for (const std::size_t row : rows) {
    whole.insert(names[row].name);
    plain.insert(without_namespaces(without_signature(names[row].name)));
  }
  if (whole.size() < 2) return;
  std::vector<std::string> texts;
  for (const std::size_t row : rows) {
    const std::string_view name = names[row].name;
    texts.push_back(plain.size() == whole.size() ? without_namespaces(without_signature(name))
                                                 : std::string(name));
  }
  const std::size_t at = shared_bytes(texts);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NameToFit& name = names[rows[i]];
    std::string text = cut_to(texts[i], at, name.columns, unicode);
    auto& behind = taken[text];
    auto mine = std::find(behind.begin(), behind.end(), name.name);
    if (mine == behind.end()) mine = behind.insert(behind.end(), name.name);
    if (mine != behind.begin()) {
      const std::string number = " #" + std::to_string(mine - behind.begin() + 1);
      const std::size_t room = name.columns - std::min(name.columns, number.size());
      text = cut_end(text, room, unicode) + number;
    }
    fitted[rows[i]] = std::move(text);
  }
}

}  // namespace

namespace {

// The template that a cut name is an instance of: "loop_kernel" of "loop_kernel<8, AddFunc…". ""
// for whole names and for others.
std::string template_of(std::string_view name, std::string_view fitted, bool unicode) {
  if (!fitted.ends_with(unicode ? "…" : "...")) return {};
  const std::string plain = without_namespaces(without_signature(name));
  return plain.ends_with('>') ? plain.substr(0, plain.find('<')) : std::string();
}

// Instances of one template differ in their arguments, so these get room from the template's name.
// `unlike` are the names that look like no other already.
void show_arguments(const std::vector<NameToFit>& names, const std::vector<std::size_t>& unlike,
                    bool unicode, NamesByText& taken, std::vector<std::string>& fitted) {
  std::map<std::string, std::vector<std::size_t>> instances;
  for (const std::size_t row : unlike) {
    instances[template_of(names[row].name, fitted[row], unicode)].push_back(row);
  }
  instances.erase("");
  for (const auto& [base, rows] : instances) {
    std::vector<std::string> texts;
    for (const std::size_t row : rows) {
      texts.push_back(without_namespaces(without_signature(names[row].name)));
    }
    if (std::set<std::string>(texts.begin(), texts.end()).size() < 2) continue;
    const std::size_t at = shared_bytes(texts);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::string text = cut_to(texts[i], at, names[rows[i]].columns, unicode);
      auto& behind = taken[text];
      if (!behind.empty() && behind.front() != names[rows[i]].name) continue;
      behind.push_back(names[rows[i]].name);
      fitted[rows[i]] = std::move(text);
    }
  }
}

}  // namespace

std::vector<std::string> fit_names(const std::vector<NameToFit>& names, bool unicode) {
  std::vector<std::string> fitted;
  std::map<std::string, std::vector<std::size_t>> alike;
  for (std::size_t i = 0; i < names.size(); ++i) {
    fitted.push_back(fit_name(names[i].name, names[i].columns, unicode));
    alike[fitted.back()].push_back(i);
  }
  NamesByText taken;
  std::vector<std::size_t> unlike;
  for (const auto& [text, rows] : alike) {
    if (rows.size() > 1) continue;
    taken[text].push_back(names[rows.front()].name);
    unlike.push_back(rows.front());
  }
  for (const auto& [text, rows] : alike) {
    if (rows.size() > 1) tell_apart(names, rows, unicode, taken, fitted);
  }
  show_arguments(names, unlike, unicode, taken, fitted);
  return fitted;
}

namespace {

// "60.0 us" is one word.
bool is_before_unit(std::string_view text, std::size_t space) {
  constexpr std::string_view kUnits[] = {"%", "ns",  "us",  "ms",  "s",
                                         "B", "KiB", "MiB", "GiB", "TiB"};
  if (space == 0 || text[space - 1] < '0' || text[space - 1] > '9') return false;
  std::string_view word = text.substr(space + 1);
  word = word.substr(0, word.find_first_of(" ,;:.)"));
  return std::find(std::begin(kUnits), std::end(kUnits), word) != std::end(kUnits);
}

}  // namespace

std::vector<std::string> wrap(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    if (columns_of(text) <= columns) {
      lines.emplace_back(text);
      break;
    }
    std::size_t end = std::max<std::size_t>(head_bytes(text, columns), decode(text).bytes);
    std::size_t space = text.substr(0, end + 1).rfind(' ');
    while (space != std::string_view::npos && space > 0 && is_before_unit(text, space)) {
      space = text.substr(0, space).rfind(' ');
    }
    if (space != std::string_view::npos && space > 0) end = space;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  }
  return lines;
}

}  // namespace strobe::report
