#include "strobe/device/name_parts.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <memory>

#include "strobe/base/text.h"

namespace strobe::device {

std::string demangled(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z") || name.find('\0') != std::string_view::npos) return text;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

namespace {

// Loaders of one vendor append the kind of symbol, and demanglers write it in their own ways:
// "f(int) [clone .kd]", "f(int) (.kd)", "Cijk_Ailk.kd".
std::string_view without_symbol_kind(std::string_view text) {
  for (const std::string_view kind : {" [clone .kd]", " (.kd)", ".kd"}) {
    if (text.ends_with(kind)) text.remove_suffix(kind.size());
  }
  return text;
}

}  // namespace

std::string readable_name(std::string_view name) {
  const std::string_view bare = without_symbol_kind(name);
  return demangled(bare.empty() ? name : bare);
}

bool is_readable_name(std::string_view name) {
  return !name.starts_with("_Z") && without_symbol_kind(name).size() == name.size();
}

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
  // An open `<` inside was an operator, or its end was cut away.
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

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> arguments;
  if (trimmed(text).empty()) return arguments;
  BracketWalk walk(text);
  std::size_t begin = 0;
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (text[index] == ',' && walk.is_outside()) {
      arguments.push_back(trimmed(text.substr(begin, index - begin)));
      begin = index + 1;
    }
    walk.step(index);
  }
  arguments.push_back(trimmed(text.substr(begin)));
  return arguments;
}

namespace {

constexpr std::size_t kNone = std::string_view::npos;

bool is_name_character(char c) {
  return is_letter_or_digit(c) || c == '_' || c == '~' || c == '.' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool is_operator(std::string_view text) {
  constexpr std::string_view kWord = "operator";
  return text.starts_with(kWord) &&
         (text.size() == kWord.size() || !is_name_character(text[kWord.size()]));
}

// False for scopes without a name: an anonymous namespace, a lambda, the operator that calls it.
bool says_something(std::string_view component) {
  return !component.empty() && is_name_character(component.front()) && !is_operator(component);
}

// `operator()`, `operator ()`, `operator<<`, `operator bool`: the index after the operator's name.
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

// The index after qualifiers of a parameter list: `f() const::{lambda()#1}`.
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

// Without a template or parameters that mark the name: "Memcpy HtoD", "at::f", "void f".
QualifiedName plain_name(std::string_view text) {
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  text = trimmed(text);
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
      // The text so far was the return type of a template.
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

}  // namespace

QualifiedName qualified_name(std::string_view text) {
  const std::string_view bare = without_symbol_kind(trimmed(text));
  QualifiedName name = NameParser(bare).parse();
  if (name.base.empty()) name = {"", bare.empty() ? text : bare, ""};
  return name;
}

std::string_view template_number(std::string_view argument) {
  constexpr std::size_t kLongest = 200;  // of an enumeration's name
  if (argument == "true") return "1";
  if (argument == "false") return "0";
  if (argument.starts_with('(')) {  // `(int)4`, `(ns::Order)0`
    const std::size_t close = after_bracket(argument.substr(0, kLongest), 0);
    if (close == std::string_view::npos) return {};
    argument.remove_prefix(close);
  }
  const std::size_t sign = argument.starts_with('-') ? 1 : 0;
  std::size_t end = argument.find_first_not_of("0123456789", sign);
  if (end == std::string_view::npos) end = argument.size();
  const bool is_suffix = argument.find_first_not_of("ulUL", end) == std::string_view::npos;
  return end > sign && is_suffix ? argument.substr(0, end) : std::string_view();
}

namespace {

struct TypeWord {
  std::string_view name;  // the last component of the qualified name
  std::string_view word;
};
constexpr TypeWord kTypeWords[] = {
    {"float", "f32"},
    {"double", "f64"},
    {"half", "f16"},
    {"__half", "f16"},
    {"__half2", "f16x2"},
    {"Half", "f16"},
    {"half_t", "f16"},
    {"float16", "f16"},
    {"float16_t", "f16"},
    {"_Float16", "f16"},
    {"BFloat16", "bf16"},
    {"bfloat16", "bf16"},
    {"bfloat16_t", "bf16"},
    {"__nv_bfloat16", "bf16"},
    {"nv_bfloat16", "bf16"},
    {"__nv_bfloat162", "bf16x2"},
    {"__hip_bfloat16", "bf16"},
    {"hip_bfloat16", "bf16"},
    {"tfloat32_t", "tf32"},
    {"float2", "f32x2"},
    {"float4", "f32x4"},
    {"half2", "f16x2"},
    {"Float8_e4m3fn", "e4m3"},
    {"Float8_e5m2", "e5m2"},
    {"Float8_e4m3fnuz", "e4m3"},
    {"Float8_e5m2fnuz", "e5m2"},
    {"float8_e4m3fn", "e4m3"},
    {"float8_e5m2", "e5m2"},
    {"__nv_fp8_e4m3", "e4m3"},
    {"__nv_fp8_e5m2", "e5m2"},
    {"float_e4m3_t", "e4m3"},
    {"float_e5m2_t", "e5m2"},
    {"float_e2m1_t", "e2m1"},
    {"__nv_fp4_e2m1", "e2m1"},
    {"bool", "bool"},
    {"char", "i8"},
    {"signed char", "i8"},
    {"unsigned char", "u8"},
    {"short", "i16"},
    {"unsigned short", "u16"},
    {"int", "i32"},
    {"unsigned int", "u32"},
    {"unsigned", "u32"},
    {"long", "i64"},
    {"unsigned long", "u64"},
    {"long long", "i64"},
    {"unsigned long long", "u64"},
    {"int8_t", "i8"},
    {"uint8_t", "u8"},
    {"int16_t", "i16"},
    {"uint16_t", "u16"},
    {"int32_t", "i32"},
    {"uint32_t", "u32"},
    {"int64_t", "i64"},
    {"uint64_t", "u64"},
};

std::string_view without_const(std::string_view type) {
  constexpr std::string_view kBefore = "const ";
  constexpr std::string_view kAfter = " const";
  if (type.starts_with(kBefore)) type.remove_prefix(kBefore.size());
  if (type.ends_with(kAfter)) type.remove_suffix(kAfter.size());
  return type;
}

// The inside of `complex<float>`, if the type is called so.
std::string_view argument_of(std::string_view type, std::string_view name) {
  if (!type.starts_with(name) || !type.ends_with('>')) return {};
  type.remove_prefix(name.size());
  return type.starts_with('<') ? type.substr(1, type.size() - 2) : std::string_view();
}

std::string_view last_component(std::string_view type) {
  const std::size_t templates = type.find('<');
  const std::size_t colons = type.rfind("::", templates);
  return colons == std::string_view::npos ? type : type.substr(colons + 2);
}

}  // namespace

std::string type_word(std::string_view type) {
  constexpr std::size_t kLongest = 100;
  if (type.size() > kLongest) return "";
  type = last_component(without_const(trimmed(type)));
  const auto* const found = std::ranges::find(kTypeWords, type, &TypeWord::name);
  if (found != std::end(kTypeWords)) return std::string(found->word);
  const std::string_view part = argument_of(type, "complex");
  if (part == "float") return "c64";
  if (part == "double") return "c128";
  // Kernels that only move bytes are instantiated by their number.
  if (std::string_view bytes = argument_of(type, "OpaqueType"); !bytes.empty()) {
    const std::size_t digits = bytes.find_first_not_of("0123456789");
    return std::string(bytes.substr(0, digits)) + "B";
  }
  return "";
}

namespace {

// "nchwTo", "conv2dBackward", and the N of "RMSNorm": the last capital of a row starts a word.
bool opens_word(std::string_view name, std::size_t index) {
  if (index == 0 || !is_upper(name[index])) return false;
  const char before = name[index - 1];
  if (is_lower(before) || is_digit(before)) return true;
  return is_upper(before) && index + 1 < name.size() && is_lower(name[index + 1]);
}

}  // namespace

std::string name_words(std::string_view name) {
  std::string words = "^_";
  words.reserve(name.size() + name.size() / 4);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_gap = !is_letter_or_digit(name[i]) || opens_word(name, i);
    if (is_gap && words.back() != '_') words += '_';
    if (is_letter_or_digit(name[i])) words += lower(name[i]);
  }
  if (words.back() != '_') words += '_';
  return words + '$';
}

}  // namespace strobe::device
