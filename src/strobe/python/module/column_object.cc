#include "strobe/python/module/column_object.h"

#include <memory>
#include <utility>
#include <vector>

#include "strobe/query/arrow_stream.h"

namespace strobe::python {
namespace {

using query::FilledColumn;
using query::FilledColumnPtr;

struct HeldColumn {
  FilledColumnPtr column;
  Py_ssize_t length;  // what a buffer points to
  Py_ssize_t stride;
};

struct Layout {
  const char* word;
  const char* format;  // of Python's struct module
  Py_ssize_t bytes;
};
Layout layout_of(query::ColumnType type) {
  switch (type) {
    case query::ColumnType::kBool:
      return {"bool", "?", 1};
    case query::ColumnType::kNarrow:
      return {"int32", "i", 4};
    case query::ColumnType::kWhole:
      return {"int64", "q", 8};
    case query::ColumnType::kReal:
      return {"float64", "d", 8};
    case query::ColumnType::kName:
      return {"name", "i", 4};
    case query::ColumnType::kText:
      break;
  }
  return {"text", nullptr, 0};
}

const FilledColumn& column_of(PyObject* self) { return *held_by<HeldColumn>(self).column; }

int column_buffer(PyObject* self, Py_buffer* view, int flags) {
  HeldColumn& held = held_by<HeldColumn>(self);
  const Layout layout = layout_of(held.column->type);
  view->obj = nullptr;
  if (layout.format == nullptr || (flags & PyBUF_WRITABLE) != 0) {
    PyErr_SetString(PyExc_BufferError, layout.format == nullptr ? "a column of texts has no buffer"
                                                                : "columns are read only");
    return -1;
  }
  Py_INCREF(self);
  view->obj = self;
  view->buf = const_cast<void*>(held.column->values);
  view->len = held.length * layout.bytes;
  view->itemsize = layout.bytes;
  view->readonly = 1;
  view->ndim = 1;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(layout.format) : nullptr;
  view->shape = (flags & PyBUF_ND) != 0 ? &held.length : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? &held.stride : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

PyObject* column_type_word(PyObject* self, void*) {
  return PyUnicode_FromString(layout_of(column_of(self).type).word);
}
PyObject* column_absent(PyObject* self, void*) { return PyLong_FromSize_t(column_of(self).absent); }
Py_ssize_t column_length(PyObject* self) { return static_cast<Py_ssize_t>(column_of(self).rows); }

// A bit per row, the lowest first, or None if every row has a value.
PyObject* column_present(PyObject* self, PyObject*) {
  const FilledColumn& column = column_of(self);
  if (column.absent == 0) Py_RETURN_NONE;
  return PyBytes_FromStringAndSize(reinterpret_cast<const char*>(column.present.data()),
                                   static_cast<Py_ssize_t>((column.rows + 7) / 8));
}

// Texts of each row (None where absent), of names the dictionary.
PyObject* column_texts(PyObject* self, PyObject*) {
  const FilledColumn& column = column_of(self);
  const std::size_t count = column.texts.size();
  Owned list(PyList_New(static_cast<Py_ssize_t>(count)));
  if (!list) return nullptr;
  const bool are_rows = column.type == query::ColumnType::kText;
  for (std::size_t i = 0; i < count; ++i) {
    PyObject* text = nullptr;
    if (are_rows && !column.has(i)) {
      Py_INCREF(Py_None);
      text = Py_None;
    } else {
      text = text_object(column.texts[i]);
    }
    if (text == nullptr) return nullptr;
    PyList_SetItem(list.get(), static_cast<Py_ssize_t>(i), text);
  }
  return list.release();
}

PyGetSetDef column_facts[] = {
    {"type", column_type_word, nullptr, "bool, int32, int64, float64, name or text", nullptr},
    {"absent", column_absent, nullptr, "how many rows have no value", nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef column_methods[] = {
    {"present", column_present, METH_NOARGS, "a bit per row, or None if every row has a value"},
    {"texts", column_texts, METH_NOARGS, "the texts of a column, or the dictionary of its names"},
    {nullptr, nullptr, 0, nullptr}};

constexpr const char* kStreamCapsule = "arrow_array_stream";

void destroy_stream(PyObject* capsule) {
  auto* stream = static_cast<query::arrow::Stream*>(PyCapsule_GetPointer(capsule, kStreamCapsule));
  if (stream->release != nullptr) stream->release(stream);
  delete stream;
}

}  // namespace

PyTypeObject* make_column_type(PyObject* module) {
  PyType_Slot column_slots[] = {{Py_tp_dealloc, slot(destroy_object<HeldColumn>)},
                                {Py_tp_methods, column_methods},
                                {Py_tp_getset, column_facts},
                                {Py_sq_length, slot(column_length)},
                                {Py_bf_getbuffer, slot(column_buffer)},
                                {0, nullptr}};
  PyType_Spec column_spec = {"strobe._core.Column", sizeof(Object<HeldColumn>), 0, kTypeFlags,
                             column_slots};
  return add_type(module, "Column", column_spec);
}

PyObject* column_object(PyTypeObject* type, FilledColumnPtr column) {
  const auto rows = static_cast<Py_ssize_t>(column->rows);
  const Py_ssize_t bytes = layout_of(column->type).bytes;
  return make_object(type, HeldColumn{std::move(column), rows, bytes});
}

PyObject* stream_object(PyTypeObject* type, PyObject* list) {
  return guarded([&]() -> PyObject* {
    std::vector<query::NamedColumn> columns;
    std::size_t rows = 0;
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
      const char* name = nullptr;
      PyObject* column = nullptr;
      if (PyArg_ParseTuple(PyList_GetItem(list, i), "sO!", &name, type, &column) == 0) {
        return nullptr;
      }
      columns.push_back({name, held_by<HeldColumn>(column).column});
      rows = columns.back().column->rows;
    }
    auto stream = std::make_unique<query::arrow::Stream>();
    query::arrow::export_stream(std::move(columns), rows, *stream);
    PyObject* capsule = PyCapsule_New(stream.get(), kStreamCapsule, destroy_stream);
    if (capsule == nullptr) {
      stream->release(stream.get());
      return nullptr;
    }
    stream.release();
    return capsule;
  });
}

}  // namespace strobe::python
