#include "strobe/readers/perfetto/annotations.h"

#include <cstdint>
#include <vector>

#include "strobe/base/protobuf.h"
#include "strobe/base/text.h"
#include "strobe/readers/perfetto/packet_fields.h"

namespace strobe::readers::perfetto {
namespace {

std::string_view text_of(const ById<StringId>& texts, std::uint64_t id, TraceBuilder& builder) {
  const StringId* found = texts.find(id);
  if (found == nullptr || !found->valid()) return {};
  return builder.strings()[*found];
}

}  // namespace

void Annotations::begin_member(std::string_view key) {
  text_ += text_.empty() ? '{' : ',';
  append_json_string(key, text_);
  text_ += ':';
}

std::string_view Annotations::finish() {
  if (!text_.empty()) text_ += '}';
  return text_;
}

std::string_view Annotations::name_of(std::string_view message, const Interned& interned) const {
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kAnnotationName)) return fields.bytes();
    if (fields.is_number(kAnnotationNameId)) {
      return text_of(interned.annotation_names, fields.number(), builder_);
    }
  }
  return {};
}

void Annotations::add(std::string_view message, const Interned& interned) {
  std::string_view name = name_of(message, interned);
  if (name.empty()) name = "unnamed";
  begin_member(name);
  JsonWriter json(text_);
  write_value(message, interned, json, 0);
}

void Annotations::add_text(std::string_view key, std::string_view value) {
  begin_member(key);
  const auto number = parse_whole_number(value);
  const bool is_plain = number && std::to_string(*number) == value;
  if (is_plain) {
    text_ += value;
  } else {
    append_json_string(value, text_);
  }
}

void Annotations::add_number(std::string_view key, std::uint64_t value) {
  add_json(key, std::to_string(value));
}

void Annotations::add_json(std::string_view key, std::string_view json) {
  begin_member(key);
  text_ += json;
}

// A list or an object of values has its parts in the same message; anything else has one value.
void Annotations::write_value(std::string_view message, const Interned& interned, JsonWriter& json,
                              int depth) {
  bool has_entries = false;
  bool has_elements = false;
  for (ProtobufFields fields(message); fields.next();) {
    has_entries = has_entries || fields.is_bytes(kAnnotationEntries);
    has_elements = has_elements || fields.is_bytes(kAnnotationElements);
  }
  if ((has_entries || has_elements) && depth >= kDeepest) {
    json.value("...");
    return;
  }
  if (has_entries) {
    json.begin_object();
    for (ProtobufFields fields(message); fields.next();) {
      if (!fields.is_bytes(kAnnotationEntries)) continue;
      json.key(name_of(fields.bytes(), interned));
      write_value(fields.bytes(), interned, json, depth + 1);
    }
    json.end_object();
    return;
  }
  if (has_elements) {
    json.begin_array();
    for (ProtobufFields fields(message); fields.next();) {
      if (fields.is_bytes(kAnnotationElements)) {
        write_value(fields.bytes(), interned, json, depth + 1);
      }
    }
    json.end_array();
    return;
  }
  for (ProtobufFields fields(message); fields.next();) {
    switch (fields.field()) {
      case kAnnotationBool:
        json.value(fields.number() != 0);
        return;
      case kAnnotationUnsigned:
      case kAnnotationPointer:
        json.value(fields.number());
        return;
      case kAnnotationSigned:
        json.value(fields.signed_number());
        return;
      case kAnnotationReal:
        json.value(fields.real());
        return;
      case kAnnotationText:
      case kAnnotationJson:
        json.value(fields.bytes());
        return;
      case kAnnotationTextId:
        json.value(text_of(interned.annotation_texts, fields.number(), builder_));
        return;
      case kAnnotationNested:
        write_nested(fields.bytes(), json, depth + 1);
        return;
      default:
        break;
    }
  }
  json.null();
}

void Annotations::write_nested(std::string_view message, JsonWriter& json, int depth) {
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::string_view> elements;
  for (ProtobufFields fields(message); fields.next();) {
    if (fields.is_bytes(kNestedKeys)) keys.push_back(fields.bytes());
    if (fields.is_bytes(kNestedValues)) values.push_back(fields.bytes());
    if (fields.is_bytes(kNestedElements)) elements.push_back(fields.bytes());
  }
  if (depth >= kDeepest) {
    json.value("...");
  } else if (!values.empty()) {
    json.begin_object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      json.key(i < keys.size() ? keys[i] : std::string_view("unnamed"));
      write_nested(values[i], json, depth + 1);
    }
    json.end_object();
  } else if (!elements.empty()) {
    json.begin_array();
    for (const std::string_view element : elements) write_nested(element, json, depth + 1);
    json.end_array();
  } else {
    for (ProtobufFields fields(message); fields.next();) {
      switch (fields.field()) {
        case kNestedInt:
          json.value(fields.signed_number());
          return;
        case kNestedReal:
          json.value(fields.real());
          return;
        case kNestedBool:
          json.value(fields.number() != 0);
          return;
        case kNestedText:
          json.value(fields.bytes());
          return;
        default:
          break;
      }
    }
    json.null();
  }
}

}  // namespace strobe::readers::perfetto
