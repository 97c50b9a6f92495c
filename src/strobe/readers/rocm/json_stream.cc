#include "strobe/readers/rocm/json_stream.h"

#include "strobe/base/json_scan.h"

namespace strobe::readers {

JsonStream::JsonStream(ByteStream& stream) : window_(stream, 0), at_(window_.end()) {}

bool JsonStream::cut() {
  is_cut_ = true;
  return false;
}

bool JsonStream::begin(char bracket) {
  if (is_cut_ || !window_.skip_blanks(at_)) return cut();
  if (*at_ != bracket) return false;
  ++at_;
  return true;
}

bool JsonStream::next_item(char close) {
  while (!is_cut_ && window_.skip_blanks(at_)) {
    if (*at_ == ',') {
      ++at_;
      continue;
    }
    if (*at_ != close) return true;
    ++at_;
    return false;
  }
  return cut();
}

bool JsonStream::next_element() { return next_item(']'); }

bool JsonStream::next_member(std::string& raw_key) {
  if (!next_item('}')) return false;
  if (*at_ != '"') return cut();
  for (;;) {
    const json::StringEnd end = json::find_string_end(at_ + 1, window_.end());
    if (end.quote != nullptr && end.quote < window_.end()) {
      raw_key.assign(at_ + 1, end.quote);
      at_ = end.quote + 1;
      break;
    }
    if (!window_.read_on(at_)) return cut();
  }
  if (!window_.skip_blanks(at_) || *at_ != ':') return cut();
  ++at_;
  return true;
}

// A number at the very end of what was read may go on in what follows.
bool JsonStream::take(std::string_view& text) {
  if (is_cut_ || !window_.skip_blanks(at_)) return cut();
  for (;;) {
    const char* after = json::skip_value(at_, window_.end());
    if (after != nullptr && after < window_.end()) {
      if (after == at_) return cut();  // a stray delimiter
      text = {at_, static_cast<std::size_t>(after - at_)};
      at_ = after;
      return true;
    }
    if (!window_.read_on(at_)) {
      if (after == nullptr || after > window_.end() || after == at_) return cut();
      text = {at_, static_cast<std::size_t>(window_.end() - at_)};
      at_ = window_.end();
      return true;
    }
  }
}

bool JsonStream::skip_string() {
  for (;;) {
    const json::StringEnd end = json::find_string_end(at_ + 1, window_.end());
    if (end.quote != nullptr && end.quote < window_.end()) {
      at_ = end.quote + 1;
      return true;
    }
    if (!window_.read_on(at_)) return cut();
  }
}

bool JsonStream::skip() {
  if (is_cut_ || !window_.skip_blanks(at_)) return cut();
  if (*at_ != '{' && *at_ != '[') {
    std::string_view ignored;
    return take(ignored);
  }
  for (std::uint64_t depth = 0; window_.skip_blanks(at_);) {
    if (*at_ == '"') {
      if (!skip_string()) return false;
      continue;
    }
    if (*at_ == '{' || *at_ == '[') ++depth;
    if (*at_ == '}' || *at_ == ']') --depth;
    ++at_;
    if (depth == 0) return true;
  }
  return cut();
}

}  // namespace strobe::readers
