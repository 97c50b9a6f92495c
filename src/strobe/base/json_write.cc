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

void append_code_unit(std::uint32_t unit, std::string& out) {
  fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit);
}

// `character` begins with a valid UTF-8 character that is not ASCII; returns its bytes.
std::size_t append_code_point(std::string_view character, std::string& out) {
  const auto first = static_cast<unsigned char>(character[0]);
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  std::uint32_t point = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    point = point << 6 | (static_cast<unsigned char>(character[i]) & 0x3Fu);
  }
  if (point < 0x10000) {
    append_code_unit(point, out);
  } else {
    append_code_unit(0xD800 + ((point - 0x10000) >> 10), out);
    append_code_unit(0xDC00 + ((point - 0x10000) & 0x3FF), out);
  }
  return bytes;
}

}  // namespace

void append_json_ascii_string(std::string_view text, std::string& out) {
  const std::string valid = is_valid_utf8(text) ? std::string() : sanitize_utf8(text);
  if (!valid.empty()) text = valid;
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    if (static_cast<unsigned char>(text[at]) >= 0x80) {
      at += append_code_point(text.substr(at), out);
    } else if (needs_escape(text[at])) {
      append_escape(text[at++], out);
    } else {
      out.push_back(text[at++]);
    }
  }
  out.push_back('"');
}

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
  if (layout_ != JsonLayout::kPretty) return;
  out_.push_back('\n');
  out_.append(2 * open_.size(), ' ');
}

void JsonWriter::append_text(std::string_view text) {
  if (layout_ == JsonLayout::kSpacedAscii) {
    append_json_ascii_string(text, out_);
  } else {
    append_json_string(text, out_);
  }
}

void JsonWriter::begin_item() {
  if (!open_.back().is_empty) out_ += layout_ == JsonLayout::kSpacedAscii ? ", " : ",";
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
  append_text(name);
  out_ += layout_ == JsonLayout::kCompact ? ":" : ": ";
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
  append_text(text);
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
