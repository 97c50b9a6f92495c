#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "strobe/base/json_value.h"

namespace strobe {

// Reads a JSON text once, from front to back, and checks its grammar; only control characters
// inside strings and the words NaN, Infinity and -Infinity are allowed beyond it. It builds nothing
// and never recurses. After an error every call fails, and failed() is true.
//
//   if (cursor.begin_object()) while (cursor.next_member(key)) { ... cursor.take() ... }
class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text)
      : begin_(text.data()), at_(text.data()), end_(text.data() + text.size()) {}

  JsonType peek();  // what value comes next; kAbsent at the end

  // Steps into the next value if it is of that kind. Every value a next_...() announces must be
  // taken, or entered and walked to its end.
  bool begin_object();
  bool begin_array();
  bool next_member(std::string_view& raw_key);  // false: that was the last
  bool next_element();

  JsonValue take();  // the next value, whole; absent if it is not JSON

  bool at_end();  // only blanks follow
  bool failed() const { return failed_; }
  // Of the next byte; after an error, of the byte that is not JSON.
  std::size_t offset() const {
    return static_cast<std::size_t>((failed_ ? failed_at_ : at_) - begin_);
  }

 private:
  bool begin(char bracket);
  bool next_item(char close);
  bool read_key(std::string_view& raw_key);
  bool skip_string(std::string_view& inside);
  bool skip_escape();
  bool skip_scalar(JsonValue& value);
  bool skip_word(std::string_view word);
  bool skip_number();
  bool skip_digits();
  bool skip_nested();
  void skip_blanks();
  bool fail();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* failed_at_ = nullptr;
  std::string open_;      // brackets of the value being skipped; kept to reuse its memory
  bool is_first_ = true;  // of its object or array
  bool failed_ = false;
};

}  // namespace strobe
