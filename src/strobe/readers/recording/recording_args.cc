#include "strobe/readers/recording/recording_args.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <initializer_list>

#include "strobe/base/json_write.h"

namespace strobe::readers {
namespace {

void write_place(const ShapeDefinition& shape, JsonWriter& json) {
  json.member("device", shape[wire::kShapeDevice])
      .member("context", shape[wire::kShapeContext])
      .member("stream", shape[wire::kShapeStream]);
}

void write_graph(const ShapeDefinition& shape, JsonWriter& json) {
  if (shape[wire::kShapeGraph] != 0) json.member("graph id", shape[wire::kShapeGraph]);
  if (shape[wire::kShapeNode] != 0) json.member("graph node id", shape[wire::kShapeNode]);
}

void write_sides(std::string_view key, const ShapeDefinition& shape,
                 std::initializer_list<wire::ShapeColumn> sides, JsonWriter& json) {
  json.key(key).begin_array();
  for (const wire::ShapeColumn side : sides) json.value(shape[side]);
  json.end_array();
}

}  // namespace

std::string kernel_args(const ShapeDefinition& kernel) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_place(kernel, json);
  if (kernel[wire::kShapeWhat] == static_cast<std::uint64_t>(wire::ShapeWhat::kKernel)) {
    json.member("registers per thread", kernel[wire::kShapeRegisters])
        .member("shared memory",
                kernel[wire::kShapeStaticShared] + kernel[wire::kShapeDynamicShared]);
    write_sides("grid", kernel, {wire::kShapeGridX, wire::kShapeGridY, wire::kShapeGridZ}, json);
    write_sides("block", kernel, {wire::kShapeBlockX, wire::kShapeBlockY, wire::kShapeBlockZ},
                json);
  }
  write_graph(kernel, json);
  json.end_object();
  return text;
}

std::string copy_args(const ShapeDefinition& copy, std::uint64_t bytes) {
  std::string text;
  JsonWriter json(text);
  json.begin_object();
  write_place(copy, json);
  json.member("bytes", bytes);
  write_graph(copy, json);
  json.end_object();
  return text;
}

std::string call_args(std::uint64_t result) {
  std::string text;
  JsonWriter(text).begin_object().member("result", result).end_object();
  return text;
}

std::string sync_args(std::uint64_t context, std::uint64_t stream) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("context", context);
  if (stream != wire::kNoStream) json.member("stream", stream);
  json.end_object();
  return text;
}

std::string allocation_args(std::string_view place, std::uint64_t bytes, std::uint64_t address) {
  std::string text;
  JsonWriter(text)
      .begin_object()
      .member("memory", place)
      .member("bytes", bytes)
      .member("address", address)
      .end_object();
  return text;
}

namespace {

// PERF: with PyTorch's operators, every range has arguments of its own.
class Members {
 public:
  explicit Members(std::string& text) : text_(text) { text_.clear(); }

  template <class Number>
  void number(std::string_view key, Number value) {
    char digits[32];
    begin(key);
    text_.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
  }
  void text(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    append_json_string(value, text_);
  }
  void json(std::string_view key, std::string_view value) {
    if (value.empty()) return;
    begin(key);
    text_ += value;
  }
  void end() {
    if (!text_.empty()) text_ += '}';
  }

 private:
  void begin(std::string_view key) {
    text_ += text_.empty() ? '{' : ',';
    text_ += '"';
    text_ += key;
    text_ += "\":";
  }

  std::string& text_;
};

constexpr std::string_view kPayload = "payload";

void add_payload(const RangeDetails& details, Members& members) {
  switch (details.payload_type) {
    case wire::PayloadType::kNone:
      break;
    case wire::PayloadType::kUnsigned:
      members.number(kPayload, details.payload);
      break;
    case wire::PayloadType::kSigned:
      members.number(kPayload, static_cast<std::int64_t>(details.payload));
      break;
    case wire::PayloadType::kReal: {
      const auto value = std::bit_cast<double>(details.payload);
      if (std::isfinite(value)) members.number(kPayload, value);
      break;
    }
  }
}

}  // namespace

void write_range_args(const RecordedName& name, const RangeDetails& details, std::string& text) {
  Members members(text);
  if (name.operator_id) members.number("Record function id", *name.operator_id);
  if (name.sequence_number) members.number("Sequence number", *name.sequence_number);
  members.json("Input Dims", name.sizes);
  members.text("Input op ids", name.input_ids);
  members.text("domain", details.domain);
  members.text("category", details.category);
  add_payload(details, members);
  members.text(kPayload, details.payload_text);
  members.end();
}

}  // namespace strobe::readers
