#include "strobe/device/qualified_name.h"

#include <algorithm>
#include <initializer_list>

#include "strobe/device/brackets.h"

namespace strobe::device {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '~' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_operator(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  return text.starts_with(kWord) &&
         (text.size() == kWord.size() || !is_name_character(text[kWord.size()]));
}

// A scope without a name of its own: an anonymous namespace, a lambda, the operator that calls it.
bool says_something(std::string_view component) {
  return !component.empty() && is_name_character(component.front()) && !is_operator(component);
}

// `operator()`, `operator ()`, `operator<<`, `operator bool`: the index behind the operator's name.
std::size_t after_operator(std::string_view text, std::size_t begin) {
  std::size_t end = begin + std::string_view("operator").size();
  const std::size_t sign = end < text.size() && text[end] == ' ' ? end + 1 : end;
  const std::string_view rest = text.substr(std::min(sign, text.size()));
  for (const std::string_view name :
       {"<=>", "<<=", ">>=", "->*", "()", "[]", "<<", ">>", "<=", ">=", "->", "<", ">"}) {
    if (rest.starts_with(name)) return sign + name.size();
  }
  end = text.find_first_of("<(:", sign);
  return end == kNone ? text.size() : end;
}

// Behind what may follow a parameter list: `f() const::{lambda()#1}`.
std::size_t after_qualifiers(std::string_view text, std::size_t begin) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word : {" const", " volatile", " noexcept", " &", "&"}) {
      if (!text.substr(begin).starts_with(word)) continue;
      begin += word.size();
      found = true;
    }
  }
  return begin;
}

// No template and no parameters tell where the name is: "Memcpy HtoD", "at::f", "void f".
QualifiedName plain_name(std::string_view text) {
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  text = without_blanks_around(text);
  const std::size_t colons = text.rfind("::");
  if (colons == kNone || colons + 2 == text.size()) return {"", text, ""};
  if (text.find(' ', colons) != kNone) return {"", text, ""};
  return {text.substr(0, colons + 2), text.substr(colons + 2), ""};
}

class NameParser {
 public:
  explicit NameParser(std::string_view text) : text_(text) {}

  QualifiedName parse() {
    while (!is_done_ && at_ < text_.size()) step();
    if (is_done_) return found_;
    if (is_plain_) return plain_name(text_);
    finish_component(at_);
    return found_;
  }

 private:
  void step() {
    const std::string_view rest = text_.substr(at_);
    if (at_ == begin_ && is_operator(rest)) {
      at_ = std::min(after_operator(text_, at_), text_.size());
    } else if (at_ == begin_ && (rest.starts_with("decltype(") || rest.starts_with("decltype ("))) {
      at_ = std::min(after_bracket(text_, text_.find('(', at_)), text_.size());
    } else if (rest.starts_with("::")) {
      finish_component(at_);
      begin_ = at_ += 2;
    } else if (rest[0] == ' ') {
      // What came before was the type that a template returns.
      found_ = {};
      scope_begin_ = begin_ = ++at_;
      end_ = kNone;
      arguments_ = {};
    } else if (std::string_view("<([{").find(rest[0]) != kNone) {
      step_over_bracket();
    } else {
      ++at_;
    }
  }

  void step_over_bracket() {
    const char opening = text_[at_];
    const std::size_t after = after_bracket(text_, at_);
    const bool is_nameless = at_ == begin_ || opening == '[' || opening == '{';
    if (!is_nameless) is_plain_ = false;
    if (end_ == kNone && at_ != begin_) end_ = at_;
    const bool is_scope = after != kNone && text_.substr(after).starts_with("::");
    if (opening == '(' && !is_scope && at_ > 0 && text_[at_ - 1] == ' ') {
      // "Memcpy HtoD (Pageable -> Device)"
      found_ = plain_name(text_.substr(0, at_));
      is_done_ = true;
    } else if (opening == '<' && !is_nameless) {
      arguments_ = text_.substr(at_ + 1, after == kNone ? kNone : after - at_ - 2);
    } else if (opening == '(' && !is_nameless && after != kNone) {
      step_over_parameters(after);
      return;
    }
    if (after == kNone && !is_done_ && !is_plain_) finish_name();
    at_ = after == kNone ? text_.size() : after;
  }

  void step_over_parameters(std::size_t after) {
    const std::size_t next = after_qualifiers(text_, after);
    if (text_.substr(next).starts_with("::")) {
      at_ = next;
    } else {
      finish_name();
    }
  }

  void finish_name() {
    finish_component(at_);
    is_done_ = true;
  }

  void finish_component(std::size_t at) {
    const std::string_view base = text_.substr(begin_, std::min(end_, at) - begin_);
    if (says_something(base)) {
      found_ = {text_.substr(scope_begin_, begin_ - scope_begin_), base, arguments_};
    }
    end_ = kNone;
    arguments_ = {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t scope_begin_ = 0;
  std::size_t begin_ = 0;    // of the component
  std::size_t end_ = kNone;  // of its name, once a bracket follows
  std::string_view arguments_;
  bool is_plain_ = true;  // no bracket followed a name so far
  bool is_done_ = false;
  QualifiedName found_;
};

// Loaders of one vendor append the kind of symbol: "f(int) [clone .kd]", "Cijk_Ailk.kd".
std::string_view without_symbol_kind(std::string_view text) {
  for (const std::string_view kind : {" [clone .kd]", ".kd"}) {
    if (text.ends_with(kind)) text.remove_suffix(kind.size());
  }
  return text;
}

}  // namespace

QualifiedName qualified_name(std::string_view text) {
  const std::string_view trimmed = without_symbol_kind(without_blanks_around(text));
  QualifiedName name = NameParser(trimmed).parse();
  if (name.base.empty()) name = {"", trimmed.empty() ? text : trimmed, ""};
  return name;
}

}  // namespace strobe::device
