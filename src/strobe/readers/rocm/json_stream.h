#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/readers/text_source.h"

namespace strobe::readers {

// Walks over a JSON text of any size, front to back, in bounded memory: large objects and arrays
// are entered, small ones are taken whole. Tolerant: commas may be missing. Where the text ends or
// is damaged, every call returns false from then on and is_cut() says so.
//
//   if (json.begin_object()) while (json.next_member(key)) { ... enter, take or skip ... }
class JsonStream {
 public:
  explicit JsonStream(ByteStream& stream);

  // Steps into the next value if it is of that kind.
  bool begin_object() { return begin('{'); }
  bool begin_array() { return begin('['); }
  // False after the last one. Each value that they announce must be entered and walked to its end,
  // taken or skipped.
  bool next_member(std::string& raw_key);
  bool next_element();

  // The text of the next value, valid until the next call; false if it is longer than a window.
  bool take(std::string_view& text);
  bool skip();  // the next value, of any size

  std::uint64_t offset() const { return window_.offset_of(at_); }  // of the next byte
  bool is_cut() const { return is_cut_; }
  const std::optional<Error>& damage() const { return window_.damage(); }

 private:
  bool begin(char bracket);
  bool next_item(char close);
  bool skip_string();
  bool cut();

  Window window_;
  const char* at_;
  bool is_cut_ = false;
};

}  // namespace strobe::readers
