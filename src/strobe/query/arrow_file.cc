#include "strobe/query/arrow_file.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "strobe/query/flat_tables.h"

namespace strobe::query {
namespace {

// Of Arrow's Message.fbs, Schema.fbs and File.fbs, with the positions of fields as there.
constexpr std::int16_t kVersion5 = 4;
enum class Header : std::uint8_t { kSchema = 1, kRecordBatch = 3 };
enum class Type : std::uint8_t { kInt = 2, kFloatingPoint = 3, kBool = 6, kLargeUtf8 = 20 };
constexpr std::int16_t kDouble = 2;
struct FieldNode {
  std::int64_t length;
  std::int64_t null_count;
};
struct Buffer {
  std::int64_t offset;
  std::int64_t length;
};

constexpr std::string_view kMagic = "ARROW1";
constexpr std::uint32_t kContinues = 0xFFFFFFFFu;
constexpr std::size_t kAlignment = 8;

template <class Element>
FlatNode structs(const std::vector<Element>& elements) {
  return FlatNode::structs(elements.size(), {reinterpret_cast<const char*>(elements.data()),
                                             elements.size() * sizeof(Element)});
}

std::pair<Type, FlatNode> type_of(ValueType type) {
  FlatNode about = FlatNode::table();
  switch (type) {
    case ValueType::kBool:
      return {Type::kBool, about};
    case ValueType::kWhole:  // of 64 bits, with a sign
      return {Type::kInt, about.number(0, std::int32_t{64}).number(1, true)};
    case ValueType::kReal:
      return {Type::kFloatingPoint, about.number(0, kDouble)};
    case ValueType::kText:
      break;
  }
  return {Type::kLargeUtf8, about};
}

FlatNode schema_of(const std::vector<AnswerColumn>& columns) {
  std::vector<FlatNode> fields;
  for (const AnswerColumn& column : columns) {
    auto [type, about] = type_of(column.type);
    FlatNode field = FlatNode::table();
    field.child(0, FlatNode::text(column.name))
        .number(1, true)  // may be absent
        .number(2, type)
        .child(3, std::move(about))
        .child(5, FlatNode::tables({}));
    fields.push_back(std::move(field));
  }
  FlatNode schema = FlatNode::table();
  schema.child(1, FlatNode::tables(std::move(fields)));
  return schema;
}

std::string message(Header kind, FlatNode header, std::int64_t body_bytes) {
  FlatNode message = FlatNode::table();
  message.number(0, kVersion5).number(1, kind).child(2, std::move(header)).number(3, body_bytes);
  return message.bytes();
}

ColumnType column_type_of(ValueType type) {
  switch (type) {
    case ValueType::kBool:
      return ColumnType::kBool;
    case ValueType::kWhole:
      return ColumnType::kWhole;
    case ValueType::kReal:
      return ColumnType::kReal;
    case ValueType::kText:
      break;
  }
  return ColumnType::kText;
}

// The bytes of some columns, and where each of their buffers lies.
struct Body {
  std::string bytes;
  std::vector<FieldNode> nodes;
  std::vector<Buffer> buffers;

  void add(std::string_view buffer) {
    buffers.push_back({.offset = static_cast<std::int64_t>(bytes.size()),
                       .length = static_cast<std::int64_t>(buffer.size())});
    bytes += buffer;
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
  void add(const void* values, std::size_t length) {
    add(std::string_view(static_cast<const char*>(values), length));
  }
  void add(const FilledColumn& column) {
    nodes.push_back({.length = static_cast<std::int64_t>(column.rows),
                     .null_count = static_cast<std::int64_t>(column.absent)});
    add(column.present.data(), column.present.size());
    switch (column.type) {
      case ColumnType::kText:
        add(column.texts.ends().data(), column.texts.ends().size() * sizeof(std::int64_t));
        add(column.texts.bytes());
        break;
      case ColumnType::kBool: {
        const std::vector<std::uint8_t> bits = bits_of(column);
        add(bits.data(), bits.size());
        break;
      }
      default:
        add(column.values, column.rows * sizeof(std::int64_t));
    }
  }
};

}  // namespace

ArrowFile::ArrowFile(const std::vector<AnswerColumn>& columns, std::string& out)
    : columns_(columns) {
  write(kMagic, out);
  write(std::string_view("\0\0", 2), out);
  write_message(message(Header::kSchema, schema_of(columns_), 0), out);
}

Result<void> ArrowFile::add(const std::vector<NamedColumn>& columns, std::string& out) {
  Body body;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].column->type != column_type_of(columns_[i].type)) {
      return Error{ErrorCode::kInvalidArgument,
                   fmt::format("column '{}' has a whole number that does not fit in 64 bits",
                               columns[i].name),
                   "", "cast it, as in sum(x)::double"};
    }
    body.add(*columns[i].column);
  }
  const std::int64_t rows = body.nodes.empty() ? 0 : body.nodes.front().length;
  const auto body_bytes = static_cast<std::int64_t>(body.bytes.size());
  FlatNode batch = FlatNode::table();
  batch.number(0, rows).child(1, structs(body.nodes)).child(2, structs(body.buffers));
  Block block{.offset = written_, .body_bytes = body_bytes};
  block.metadata_bytes =
      write_message(message(Header::kRecordBatch, std::move(batch), body_bytes), out);
  write(body.bytes, out);
  batches_.push_back(block);
  return {};
}

void ArrowFile::end(std::string& out) {
  write_message("", out);
  FlatNode last = FlatNode::table();
  last.number(0, kVersion5)
      .child(1, schema_of(columns_))
      .child(2, structs(std::vector<Block>()))  // dictionaries
      .child(3, structs(batches_));
  const std::string footer = last.bytes();
  write(footer, out);
  const auto bytes = static_cast<std::int32_t>(footer.size());
  write({reinterpret_cast<const char*>(&bytes), sizeof bytes}, out);
  write(kMagic, out);
}

// Returns its bytes with those in front of it. An empty one ends the messages.
std::int32_t ArrowFile::write_message(const std::string& metadata, std::string& out) {
  const std::array<std::uint32_t, 2> front = {kContinues,
                                              static_cast<std::uint32_t>(metadata.size())};
  write({reinterpret_cast<const char*>(front.data()), sizeof front}, out);
  write(metadata, out);
  return static_cast<std::int32_t>(sizeof front + metadata.size());
}

void ArrowFile::write(std::string_view bytes, std::string& out) {
  out += bytes;
  written_ += static_cast<std::int64_t>(bytes.size());
}

}  // namespace strobe::query
