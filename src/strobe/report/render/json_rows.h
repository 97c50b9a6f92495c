#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "strobe/base/json_write.h"

namespace strobe::report {

// One line each, so that grep and diff work on rows.
template <class RowType, class Write>
void write_rows(JsonWriter& json, std::string_view key, const std::vector<RowType>& rows,
                Write write) {
  json.key(key).begin_array();
  for (const RowType& row : rows) {
    std::string line;
    JsonWriter one(line);
    one.begin_object();
    write(one, row);
    one.end_object();
    json.raw(line);
  }
  json.end_array();
}

inline void write_texts(JsonWriter& json, std::string_view key,
                        const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.value(text);
  json.end_array();
}

}  // namespace strobe::report
