#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "strobe/base/json_value.h"
#include "strobe/base/json_write.h"
#include "strobe/base/result.h"
#include "strobe/bench/results/cell_fields.h"

// Cells as JSON, by the rows of cell_fields.h: `strobe.bench/1` with its header and cells, and the
// parts that workers and the HTTP API share with it.
namespace strobe::bench {

inline constexpr std::string_view kBenchSchema = "strobe.bench/1";

// How an unknown value is written.
enum class Unknown : std::uint8_t { kLeftOut, kNull };

// Whole numbers of bytes and operations stay whole: 268435456, not 2.68435456e8.
void write_number(JsonWriter& json, Unit unit, double number);
// A number that is valid for its unit, or nothing. Only temperatures may be negative; a deviation
// that is not a number is infinite.
std::optional<double> number_in(Unit unit, const JsonValue& value);
std::string text_in(const JsonValue& value);  // "" for anything but a string
std::vector<std::string> texts_in(const JsonValue& array);
std::uint64_t count_in(const JsonValue& value);
std::array<std::int64_t, 3> sizes_in(const JsonValue& array);
std::string decoded_key(std::string_view raw_key);
std::string_view word_of(CellFlag flag);
std::string_view word_of(Lack lack);

template <HasFields Struct>
void write_members(JsonWriter& json, const Struct& from, Unknown unknown);

template <class Value>
void write_json(JsonWriter& json, Unit unit, const Value& value, Unknown unknown) {
  if constexpr (HasFields<Value>) {
    json.begin_object();
    if constexpr (std::is_same_v<Value, Accuracy>) json.member("equality", value.equality());
    write_members(json, value, unknown);
    json.end_object();
  } else if constexpr (std::is_same_v<Value, double>) {
    write_number(json, unit, value);
  } else if constexpr (std::is_enum_v<Value>) {
    json.value(word_of(value));
  } else if constexpr (requires { json.value(value); }) {
    json.value(value);
  } else if constexpr (requires { typename Value::mapped_type; }) {
    json.begin_object();
    for (const auto& [key, text] : value) {
      if constexpr (std::is_enum_v<typename Value::key_type>) {
        json.member(word_of(key), text);
      } else {
        json.member(key, text);
      }
    }
    json.end_object();
  } else {
    json.begin_array();
    for (const auto& item : value) write_json(json, unit, item, unknown);
    json.end_array();
  }
}

template <HasFields Struct>
void write_members(JsonWriter& json, const Struct& from, Unknown unknown) {
  for_each_field<Struct>([&](const auto& field) {
    const auto& value = from.*field.member;
    if constexpr (requires { value.has_value(); }) {
      if (value) {
        write_json(json.key(field.name), field.unit, *value, unknown);
      } else if (unknown == Unknown::kNull) {
        json.key(field.name).null();
      }
    } else {
      if constexpr (requires { value.empty(); }) {
        if (value.empty() && unknown == Unknown::kLeftOut) return;
      }
      write_json(json.key(field.name), field.unit, value, unknown);
    }
  });
}

template <HasFields Struct>
void read_members(const JsonValue& object, Struct& into);

// Visits the members of an object; other values have none.
template <class Function>
void each_member(const JsonValue& object, const Function& f) {
  if (object.type == JsonType::kObject) for_each_member(object.text, f);
}

template <class Function>
void each_element(const JsonValue& array, const Function& f) {
  if (array.type == JsonType::kArray) for_each_element(array.text, f);
}

void read_json(const JsonValue& value, std::vector<CellFlag>& into);
void read_json(const JsonValue& value, std::map<std::string, std::string>& into);
void read_json(const JsonValue& value, std::map<Lack, std::string>& into);
void read_json(const JsonValue& value, std::vector<KernelLaunch>& into);
// Only calls with a name and a count.
void read_json(const JsonValue& value, std::vector<ApiCall>& into);

template <class Value>
void read_field(const JsonValue& value, Unit unit, Value& into) {
  if constexpr (HasFields<Value>) {
    read_members(value, into);
  } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
    into = number_in(unit, value);
  } else if constexpr (std::is_same_v<Value, double>) {
    into = number_in(unit, value).value_or(0);
  } else if constexpr (std::is_same_v<Value, std::optional<std::int64_t>>) {
    into = value.as_int64();
  } else if constexpr (std::is_same_v<Value, bool>) {
    into = value.as_bool().value_or(false);
  } else if constexpr (std::is_same_v<Value, std::int64_t>) {
    into = value.as_int64().value_or(into);
  } else if constexpr (std::is_unsigned_v<Value>) {
    into = count_in(value);
  } else if constexpr (std::is_same_v<Value, std::string>) {
    into = text_in(value);
  } else if constexpr (std::is_same_v<Value, std::vector<std::string>>) {
    into = texts_in(value);
  } else if constexpr (std::is_same_v<Value, std::array<std::int64_t, 3>>) {
    into = sizes_in(value);
  } else if constexpr (requires {
                         into.emplace();
                         *into;
                       }) {  // an object that may be missing
    if (value.type == JsonType::kObject) read_members(value, into.emplace());
  } else {
    read_json(value, into);
  }
}

// Whether the struct has such a member, by its name or its old name.
template <HasFields Struct>
bool read_member(std::string_view key, const JsonValue& value, Struct& into) {
  bool is_known = false;
  for_each_field<Struct>([&](const auto& field) {
    if (is_known || (key != field.name && (field.old_name.empty() || key != field.old_name)))
      return;
    read_field(value, field.unit, into.*field.member);
    is_known = true;
  });
  return is_known;
}

template <HasFields Struct>
void read_members(const JsonValue& object, Struct& into) {
  each_member(object,
              [&](std::string_view key, const JsonValue& value) { read_member(key, value, into); });
}

struct RecordSurroundings {
  std::string_view run;        // the run that the cell belongs to
  Roofs roofs;                 // for rates.copy_roof_pct
  std::size_t samples_at = 0;  // values of the side file before this cell's
};

void write_record(JsonWriter& json, const CellRecord& record, const RecordSurroundings& around);
void write_header(JsonWriter& json, const RunHeader& header);

// Where a cell's samples are in the side file, for each time.
struct SamplePlace {
  TimeMode mode = TimeMode::kDevice;
  std::uint64_t at = 0;
  std::uint64_t count = 0;
};

struct ReadRecord {
  CellRecord record;
  std::vector<SamplePlace> samples;
};
// An error names the offending member.
Result<ReadRecord> read_record(const JsonValue& value);
RunHeader read_header(const JsonValue& value);

}  // namespace strobe::bench
