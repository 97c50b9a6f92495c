#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"

// Members that several answers write.
namespace strobe::serve {

template <class Value>
void member_or_null(JsonWriter& json, std::string_view key, const std::optional<Value>& value) {
  json.key(key);
  value ? json.value(*value) : json.null();
}

inline void text_or_null(JsonWriter& json, std::string_view key, std::string_view text) {
  json.key(key);
  text.empty() ? json.null() : json.value(text);
}

// The first `most` of them.
inline void write_texts(JsonWriter& json, std::string_view key, std::span<const std::string> texts,
                        std::size_t most = std::numeric_limits<std::size_t>::max()) {
  json.key(key).begin_array();
  for (const std::string& text : texts.first(std::min(texts.size(), most))) json.value(text);
  json.end_array();
}

}  // namespace strobe::serve
