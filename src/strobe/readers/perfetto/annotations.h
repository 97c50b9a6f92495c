#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/readers/perfetto/sequence.h"
#include "strobe/trace/trace_builder.h"

namespace strobe::readers::perfetto {

// The arguments of an event as one JSON object.
class Annotations {
 public:
  explicit Annotations(TraceBuilder& builder) : builder_(builder) {}

  void begin() { text_.clear(); }
  void add(std::string_view message, const Interned& interned);
  // A member of any name; a text that is a whole number becomes one.
  void add_text(std::string_view key, std::string_view value);
  void add_number(std::string_view key, std::uint64_t value);
  void add_json(std::string_view key, std::string_view json);
  bool has_any() const { return !text_.empty(); }
  std::string_view finish();

  // What the columns of a slice need, of the last arguments added.
  std::string_view name_of(std::string_view message, const Interned& interned) const;

 private:
  static constexpr int kDeepest = 32;

  void begin_member(std::string_view key);
  void write_value(std::string_view message, const Interned& interned, JsonWriter& json, int depth);
  void write_nested(std::string_view message, JsonWriter& json, int depth);

  TraceBuilder& builder_;
  std::string text_;
};

}  // namespace strobe::readers::perfetto
