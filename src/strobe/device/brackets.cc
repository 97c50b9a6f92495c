#include "strobe/device/brackets.h"

namespace strobe::device {
namespace {

constexpr std::string_view kOpening = "([{";
constexpr std::string_view kClosing = ")]}";

// `operator<`, `operator >>=`, `->`: signs, not brackets.
bool is_sign(std::string_view text, std::size_t index) {
  constexpr std::size_t kLongest = 3;
  if (text[index] == '>' && index > 0 && text[index - 1] == '-') return true;
  const std::size_t least = index > kLongest ? index - kLongest : 0;
  std::size_t begin = index;
  while (begin > least &&
         std::string_view("<>= ").find(text[begin - 1]) != std::string_view::npos) {
    --begin;
  }
  return text.substr(0, begin).ends_with("operator");
}

}  // namespace

void BracketWalk::close(char opening) {
  std::size_t& count = count_[kOpening.find(opening)];
  if (count == 0) return;
  // An open `<` inside was a sign, or its end was cut away.
  while (open_.back() != opening) {
    if (open_.back() != '<') --count_[kOpening.find(open_.back())];
    open_.pop_back();
  }
  open_.pop_back();
  --count;
}

void BracketWalk::step(std::size_t index) {
  const char c = text_[index];
  if (const std::size_t kind = kOpening.find(c); kind != std::string_view::npos) {
    open_ += c;
    ++count_[kind];
  } else if (const std::size_t closed = kClosing.find(c); closed != std::string_view::npos) {
    close(kOpening[closed]);
  } else if ((c == '<' || c == '>') && !is_sign(text_, index)) {
    if (c == '<') {
      open_ += c;
    } else if (!open_.empty() && open_.back() == '<') {
      open_.pop_back();
    }
  }
}

std::size_t after_bracket(std::string_view text, std::size_t open) {
  BracketWalk walk(text);
  for (std::size_t index = open; index < text.size(); ++index) {
    walk.step(index);
    if (walk.is_outside()) return index + 1;
  }
  return std::string_view::npos;
}

std::string_view without_blanks_around(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  if (without_blanks_around(text).empty()) return arguments;
  BracketWalk walk(text);
  std::size_t begin = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == ',' && walk.is_outside()) {
      arguments.push_back(without_blanks_around(text.substr(begin, index - begin)));
      begin = index + 1;
    }
    walk.step(index);
  }
  arguments.push_back(without_blanks_around(text.substr(begin)));
  return arguments;
}

}  // namespace strobe::device
