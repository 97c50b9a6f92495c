#include "strobe/query/arrow_stream.h"

#include <array>
#include <cerrno>
#include <memory>
#include <new>
#include <string>

namespace strobe::query::arrow {
namespace {

constexpr std::int64_t kNullable = 2;
constexpr const char* kStruct = "+s";
constexpr const char* kTexts = "U";  // UTF-8 with 64-bit ends

const char* format_of(ColumnType type) {
  switch (type) {
    case ColumnType::kBool:
      return "b";
    case ColumnType::kNarrow:
    case ColumnType::kName:  // the numbers; the dictionary has the texts
      return "i";
    case ColumnType::kWhole:
      return "l";
    case ColumnType::kReal:
      return "g";
    case ColumnType::kText:
      break;
  }
  return kTexts;
}

// What a struct of the interface points to; release() deletes it. The reader may move children and
// dictionary away, which clears their own release.
template <class Shape>
struct Parts {
  std::string name;
  std::vector<Shape> children;
  std::vector<Shape*> places;
  Shape dictionary = {};
  FilledColumnPtr column;
  std::vector<std::uint8_t> bits;
  std::array<const void*, 3> buffers = {};

  ~Parts() {
    if (dictionary.release != nullptr) dictionary.release(&dictionary);
    for (Shape& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
  }
};

template <class Shape>
void release(Shape* shape) {
  delete static_cast<Parts<Shape>*>(shape->private_data);
  shape->release = nullptr;
}

template <class Shape>
void hand_over(std::unique_ptr<Parts<Shape>> parts, Shape& out) {
  for (Shape& child : parts->children) parts->places.push_back(&child);
  out.n_children = static_cast<std::int64_t>(parts->children.size());
  out.children = parts->places.empty() ? nullptr : parts->places.data();
  out.dictionary = parts->dictionary.release == nullptr ? nullptr : &parts->dictionary;
  out.release = release<Shape>;
  out.private_data = parts.release();
}

void fill_schema(const char* format, std::string name, std::unique_ptr<Parts<Schema>> parts,
                 Schema& out) {
  parts->name = std::move(name);
  out = {};
  out.format = format;
  out.name = parts->name.c_str();
  out.flags = kNullable;
  hand_over(std::move(parts), out);
}

void fill_schema(const NamedColumn& column, Schema& out) {
  auto parts = std::make_unique<Parts<Schema>>();
  if (column.column->type == ColumnType::kName) {
    fill_schema(kTexts, "", std::make_unique<Parts<Schema>>(), parts->dictionary);
  }
  fill_schema(format_of(column.column->type), column.name, std::move(parts), out);
}

void fill_array(std::size_t rows, std::size_t absent, std::int64_t buffers,
                std::unique_ptr<Parts<Array>> parts, Array& out) {
  out = {};
  out.length = static_cast<std::int64_t>(rows);
  out.null_count = static_cast<std::int64_t>(absent);
  out.n_buffers = buffers;
  out.buffers = parts->buffers.data();
  hand_over(std::move(parts), out);
}

void fill_texts(const FilledColumnPtr& column, const std::uint8_t* present, std::size_t absent,
                Array& out) {
  auto parts = std::make_unique<Parts<Array>>();
  parts->column = column;
  parts->buffers = {present, column->texts.ends().data(), column->texts.bytes().data()};
  fill_array(column->texts.size(), absent, 3, std::move(parts), out);
}

void fill_array(const FilledColumnPtr& column, Array& out) {
  const std::uint8_t* present = column->present.empty() ? nullptr : column->present.data();
  if (column->type == ColumnType::kText) return fill_texts(column, present, column->absent, out);
  auto parts = std::make_unique<Parts<Array>>();
  parts->column = column;
  parts->buffers = {present, column->values, nullptr};
  if (column->type == ColumnType::kBool) {
    parts->bits = bits_of(*column);
    parts->buffers[1] = parts->bits.data();
  }
  if (column->type == ColumnType::kName) fill_texts(column, nullptr, 0, parts->dictionary);
  fill_array(column->rows, column->absent, 2, std::move(parts), out);
}

struct Batch {
  std::vector<NamedColumn> columns;
  std::size_t rows = 0;
  bool is_read = false;
};

Batch& batch_of(Stream* stream) { return *static_cast<Batch*>(stream->private_data); }

// The caller is foreign code: nothing may be thrown through it.
template <class Fill>
int without_exceptions(const Fill& fill) noexcept {
  try {
    fill();
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

int get_schema(Stream* stream, Schema* out) {
  return without_exceptions([&] {
    auto parts = std::make_unique<Parts<Schema>>();
    const Batch& batch = batch_of(stream);
    parts->children.resize(batch.columns.size());
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      fill_schema(batch.columns[i], parts->children[i]);
    }
    fill_schema(kStruct, "", std::move(parts), *out);
    out->flags = 0;
  });
}

int get_next(Stream* stream, Array* out) {
  return without_exceptions([&] {
    Batch& batch = batch_of(stream);
    *out = {};
    if (batch.is_read) return;  // without release(): the end
    auto parts = std::make_unique<Parts<Array>>();
    parts->children.resize(batch.columns.size());
    for (std::size_t i = 0; i < batch.columns.size(); ++i) {
      fill_array(batch.columns[i].column, parts->children[i]);
    }
    fill_array(batch.rows, 0, 1, std::move(parts), *out);
    batch.is_read = true;
  });
}

const char* get_last_error(Stream*) { return "strobe has no memory for this table"; }

void release_stream(Stream* stream) {
  delete static_cast<Batch*>(stream->private_data);
  stream->release = nullptr;
}

}  // namespace

void export_stream(std::vector<NamedColumn> columns, std::size_t rows, Stream& out) {
  out = {.get_schema = get_schema,
         .get_next = get_next,
         .get_last_error = get_last_error,
         .release = release_stream,
         .private_data = new Batch{.columns = std::move(columns), .rows = rows}};
}

}  // namespace strobe::query::arrow
