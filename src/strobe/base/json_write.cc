#include "strobe/base/json_write.h"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "strobe/base/check.h"
#include "strobe/base/json_text.h"

namespace strobe {
namespace {

bool needs_escape(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

void append_escape(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

void append_json_string(std::string_view text, std::string& out) {
  std::string sanitized;
  if (!is_valid_utf8(text)) {
    sanitized = sanitize_utf8(text);
    text = sanitized;
  }
  out.push_back('"');
  std::size_t done = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!needs_escape(text[at])) continue;
    out.append(text.substr(done, at - done));
    append_escape(text[at], out);
    done = at + 1;
  }
  out.append(text.substr(done));
  out.push_back('"');
}

void JsonWriter::new_line() {
  if (layout_ == JsonLayout::kCompact) return;
  out_.push_back('\n');
  out_.append(2 * open_.size(), ' ');
}

void JsonWriter::begin_item() {
  if (!open_.back().is_empty) out_.push_back(',');
  open_.back().is_empty = false;
  new_line();
}

void JsonWriter::begin_value() {
  if (open_.empty()) {
    STROBE_CHECK(!has_root_, "a document is one value");
    has_root_ = true;
  } else if (open_.back().is_object) {
    STROBE_CHECK(has_key_, "a value in an object follows its key");
    has_key_ = false;
  } else {
    begin_item();
  }
}

JsonWriter& JsonWriter::key(std::string_view name) {
  STROBE_CHECK(!open_.empty() && open_.back().is_object && !has_key_,
               "a key stands in an object, before its value");
  begin_item();
  append_json_string(name, out_);
  out_ += layout_ == JsonLayout::kPretty ? ": " : ":";
  has_key_ = true;
  return *this;
}

void JsonWriter::begin(char bracket, bool is_object) {
  begin_value();
  out_.push_back(bracket);
  open_.push_back({is_object, true});
}

void JsonWriter::end(char bracket, bool is_object) {
  STROBE_CHECK(!open_.empty() && open_.back().is_object == is_object && !has_key_,
               "what is closed was opened, and no key waits for its value");
  const bool was_empty = open_.back().is_empty;
  open_.pop_back();
  if (!was_empty) new_line();
  out_.push_back(bracket);
}

JsonWriter& JsonWriter::begin_object() { return begin('{', true), *this; }
JsonWriter& JsonWriter::end_object() { return end('}', true), *this; }
JsonWriter& JsonWriter::begin_array() { return begin('[', false), *this; }
JsonWriter& JsonWriter::end_array() { return end(']', false), *this; }

JsonWriter& JsonWriter::value(std::string_view text) {
  begin_value();
  append_json_string(text, out_);
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  begin_value();
  out_.append(json);
  return *this;
}

JsonWriter& JsonWriter::value(bool flag) { return raw(flag ? "true" : "false"); }
JsonWriter& JsonWriter::null() { return raw("null"); }

JsonWriter& JsonWriter::value(double number) {
  if (!std::isfinite(number)) return null();
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof(digits), number);
  STROBE_CHECK(error == std::errc(), "the shortest form of a double has at most 24 characters");
  return raw(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

JsonWriter& JsonWriter::signed_value(std::int64_t number) {
  return raw(fmt::format_int(number).c_str());
}
JsonWriter& JsonWriter::unsigned_value(std::uint64_t number) {
  return raw(fmt::format_int(number).c_str());
}

}  // namespace strobe
