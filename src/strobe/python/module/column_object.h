#pragma once

#include "strobe/python/module/interpreter.h"
#include "strobe/query/filled_tables.h"

// Columns as objects of Python, whose buffers are the columns' memory.
namespace strobe::python {

// The type, new in this module; nullptr after an exception.
PyTypeObject* make_column_type(PyObject* module);

PyObject* column_object(PyTypeObject* type, query::FilledColumnPtr column);

// From a list [(name, column), ...] a capsule with a stream of Arrow's C data interface.
PyObject* stream_object(PyTypeObject* column_type, PyObject* list);

}  // namespace strobe::python
