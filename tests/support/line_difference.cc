#include <algorithm>

#include "tests/support/golden_page.h"

namespace strobe::test {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Line {
  char mark;
  std::string_view text;
};

// By the longest common subsequence; the equal head and tail are removed first, so that the
// quadratic cost stays small.
std::vector<Line> compared(std::vector<std::string_view> a, std::vector<std::string_view> b) {
  std::vector<Line> head;
  std::size_t same = 0;
  while (same < a.size() && same < b.size() && a[same] == b[same]) head.push_back({' ', a[same++]});
  std::vector<Line> tail;
  while (a.size() > same && b.size() > same && a.back() == b.back()) {
    tail.push_back({' ', a.back()});
    a.pop_back();
    b.pop_back();
  }
  a.erase(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(same));
  b.erase(b.begin(), b.begin() + static_cast<std::ptrdiff_t>(same));
  std::vector<std::vector<std::uint32_t>> common(a.size() + 1,
                                                 std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      head.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      head.push_back({'-', a[i++]});
    } else {
      head.push_back({'+', b[j++]});
    }
  }
  head.insert(head.end(), tail.rbegin(), tail.rend());
  return head;
}

}  // namespace

std::string line_difference(std::string_view expected, std::string_view seen) {
  if (expected == seen) return {};
  constexpr std::size_t kAround = 2;
  const std::vector<Line> lines = compared(lines_of(expected), lines_of(seen));
  std::string out;
  bool skipping = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::size_t from = i < kAround ? 0 : i - kAround;
    const std::size_t to = std::min(lines.size(), i + kAround + 1);
    const bool near = std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(from),
                                  lines.begin() + static_cast<std::ptrdiff_t>(to),
                                  [](const Line& line) { return line.mark != ' '; });
    if (near) {
      out += lines[i].mark;
      // Blanks at the end of a line are invisible, and often the only difference.
      const bool marked = lines[i].mark != ' ' && lines[i].text.ends_with(' ');
      out += std::string(lines[i].text) + (marked ? "$\n" : "\n");
    } else if (!skipping) {
      out += " ...\n";
    }
    skipping = !near;
  }
  if (out.find_first_of("-+") == std::string::npos) out += "(only the last newline differs)\n";
  return out;
}

}  // namespace strobe::test
