// strobe._core: what the Python package needs of the library, through Python's stable interface, so
// that one file serves every Python from 3.11 on. python/strobe/_core.pyi says what is here.
#include "strobe/python/module/interpreter.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "strobe/base/version.h"
#include "strobe/python/module/column_object.h"
#include "strobe/python/opened_run.h"

namespace strobe::python {
namespace {

using query::FilledColumnPtr;

struct ModuleState {
  PyTypeObject* run_type = nullptr;
  PyTypeObject* column_type = nullptr;
};
ModuleState& state_of(PyObject* module) {
  return *static_cast<ModuleState*>(PyModule_GetState(module));
}

OpenChoice open_choice(LongWork& work, unsigned threads, bool cached) {
  OpenChoice choice{.load = {}, .cached = cached};
  choice.load.threads = threads;
  choice.load.cancelled = &work.cancelled();
  choice.load.progress = [&work](const readers::LoadProgress& now) { work.tell(now); };
  return choice;
}

// ---- Run

using HeldRun = std::shared_ptr<const OpenedRun>;
const OpenedRun& run_of(PyObject* self) { return *held_by<HeldRun>(self); }

PyObject* module_of(PyObject* object) {
  return PyType_GetModule(Py_TYPE(object));  // borrowed
}

std::optional<std::string> path_of(PyObject* bytes) {
  char* data = nullptr;
  Py_ssize_t length = 0;
  if (PyBytes_AsStringAndSize(bytes, &data, &length) != 0) return std::nullopt;
  return std::string(data, static_cast<std::size_t>(length));
}

PyObject* open_run(PyObject* module, PyObject* arguments) {
  PyObject* path_bytes = nullptr;
  unsigned threads = 0;
  int cached = 1;
  PyObject* progress = nullptr;
  if (PyArg_ParseTuple(arguments, "SIpO", &path_bytes, &threads, &cached, &progress) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const std::optional<std::string> path = path_of(path_bytes);
    if (!path) return nullptr;
    LongWork work(progress);
    const OpenChoice choice = open_choice(work, threads, cached != 0);
    auto opened = work.result_of([&] { return OpenedRun::open(*path, choice); });
    if (!opened) return nullptr;
    if (!*opened) return raise(opened->error());
    return make_object<HeldRun>(state_of(module).run_type, **std::move(opened));
  });
}

const query::Table* find_table(PyObject* self, const char* name) {
  for (const query::Table& table : run_of(self).tables().tables()) {
    if (table.name == name) return &table;
  }
  PyErr_SetString(PyExc_KeyError, name);
  return nullptr;
}

PyObject* run_label(PyObject* self, void*) { return text_object(run_of(self).run().label); }

PyObject* list_of(const std::vector<std::string>& texts) {
  Owned list(PyList_New(0));
  if (!list) return nullptr;
  for (const std::string& each : texts) {
    const Owned text(text_object(each));
    if (!text || PyList_Append(list.get(), text.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* run_warnings(PyObject* self, PyObject*) {
  return guarded([&] { return list_of(run_of(self).warnings()); });
}

PyObject* run_rows(PyObject* self, PyObject* arguments) {
  const char* name = nullptr;
  if (PyArg_ParseTuple(arguments, "s", &name) == 0) return nullptr;
  return guarded([&]() -> PyObject* {
    const query::Table* table = find_table(self, name);
    if (table == nullptr) return nullptr;
    std::size_t rows = 0;
    {
      const WithoutInterpreter without;
      rows = run_of(self).tables().rows(*table);
    }
    return PyLong_FromSize_t(rows);
  });
}

PyObject* run_column(PyObject* self, PyObject* arguments) {
  const char* table_name = nullptr;
  const char* column_name = nullptr;
  if (PyArg_ParseTuple(arguments, "ss", &table_name, &column_name) == 0) return nullptr;
  return guarded([&]() -> PyObject* {
    const query::Table* table = find_table(self, table_name);
    if (table == nullptr) return nullptr;
    const auto column = std::ranges::find(table->columns, column_name, &query::Column::name);
    if (column == table->columns.end()) {
      PyErr_SetString(PyExc_KeyError, column_name);
      return nullptr;
    }
    FilledColumnPtr filled;
    {
      const WithoutInterpreter without;
      filled = run_of(self).tables().column(*table, *column);
    }
    return column_object(state_of(module_of(self)).column_type, std::move(filled));
  });
}

// Work of seconds whose answer is a text.
template <class Work>
PyObject* text_of_long(const Work& make) {
  return guarded([&]() -> PyObject* {
    LongWork work(Py_None);
    const auto text = work.result_of(make);
    if (!text) return nullptr;
    if (!*text) return raise(text->error());
    return text_object(**text);
  });
}

PyObject* run_summary(PyObject* self, PyObject*) {
  return text_of_long([self] { return run_of(self).summary_json(); });
}

PyObject* run_overview(PyObject* self, PyObject*) {
  return text_of_long([self] { return run_of(self).overview_html(); });
}

// [(name, column), ...]
PyObject* columns_object(PyTypeObject* type, const std::vector<query::NamedColumn>& columns) {
  Owned list(PyList_New(0));
  if (!list) return nullptr;
  for (const auto& [name, column] : columns) {
    const Owned made(column_object(type, column));
    const Owned text(text_object(name));
    if (!made || !text) return nullptr;
    const Owned pair(PyTuple_Pack(2, text.get(), made.get()));
    if (!pair || PyList_Append(list.get(), pair.get()) != 0) return nullptr;
  }
  return list.release();
}

PyObject* run_ask(PyObject* self, PyObject* arguments) {
  const char* sql = nullptr;
  double timeout_s = 0;
  if (PyArg_ParseTuple(arguments, "sd", &sql, &timeout_s) == 0) return nullptr;
  return guarded([&]() -> PyObject* {
    LongWork work(Py_None);
    query::Limits limits;
    limits.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(timeout_s * 1000));
    limits.cancelled = &work.cancelled();
    const auto answer = work.result_of([&] { return run_of(self).ask(sql, limits); });
    if (!answer) return nullptr;
    if (!*answer) return raise(answer->error());
    return columns_object(state_of(module_of(self)).column_type, **answer);
  });
}

PyGetSetDef run_facts[] = {{"label", run_label, nullptr, "the short name of the run", nullptr},
                           {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMethodDef run_methods[] = {
    {"warnings", run_warnings, METH_NOARGS, "what was lost of the input, in sentences"},
    {"rows", run_rows, METH_VARARGS, "rows of a table"},
    {"column", run_column, METH_VARARGS, "a column of a table"},
    {"summary", run_summary, METH_NOARGS, "the summary as JSON"},
    {"overview", run_overview, METH_NOARGS, "the overview as HTML"},
    {"ask", run_ask, METH_VARARGS, "the answer to a query: its columns"},
    {nullptr, nullptr, 0, nullptr}};

// ---- functions

std::optional<std::vector<std::string>> paths_of(PyObject* list) {
  std::vector<std::string> paths;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
    std::optional<std::string> path = path_of(PyList_GetItem(list, i));
    if (!path) return std::nullopt;
    paths.push_back(*std::move(path));
  }
  return paths;
}

// (json, text, html, warnings)
template <class Make>
PyObject* report_of(LongWork& work, const Make& make) {
  const auto made = work.result_of(make);
  if (!made) return nullptr;
  if (!*made) return raise(made->error());
  const ReportTexts& report = **made;
  const Owned json(text_object(report.json));
  const Owned text(text_object(report.text));
  const Owned html(text_object(report.html));
  const Owned warnings(list_of(report.warnings));
  if (!json || !text || !html || !warnings) return nullptr;
  return PyTuple_Pack(4, json.get(), text.get(), html.get(), warnings.get());
}

PyObject* compare(PyObject*, PyObject* arguments) {
  PyObject* normal_list = nullptr;
  PyObject* abnormal_list = nullptr;
  int rank = -1;
  unsigned threads = 0;
  int cached = 1;
  PyObject* progress = nullptr;
  if (PyArg_ParseTuple(arguments, "O!O!iIpO", &PyList_Type, &normal_list, &PyList_Type,
                       &abnormal_list, &rank, &threads, &cached, &progress) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const auto normal = paths_of(normal_list);
    const auto abnormal = paths_of(abnormal_list);
    if (!normal || !abnormal) return nullptr;
    LongWork work(progress);
    CompareChoice choice{.open = open_choice(work, threads, cached != 0),
                         .normal = *normal,
                         .abnormal = *abnormal,
                         .rank = {}};
    if (rank >= 0) choice.rank = rank;
    return report_of(work, [&] { return compare_runs(choice); });
  });
}

PyObject* fleet(PyObject*, PyObject* arguments) {
  PyObject* path_bytes = nullptr;
  unsigned allow_missing = 0;
  unsigned threads = 0;
  int cached = 1;
  PyObject* progress = nullptr;
  if (PyArg_ParseTuple(arguments, "SIIpO", &path_bytes, &allow_missing, &threads, &cached,
                       &progress) == 0) {
    return nullptr;
  }
  return guarded([&]() -> PyObject* {
    const std::optional<std::string> path = path_of(path_bytes);
    if (!path) return nullptr;
    LongWork work(progress);
    const JobChoice choice{.open = open_choice(work, threads, cached != 0),
                           .folder = *path,
                           .allow_missing = allow_missing};
    return report_of(work, [&] { return explain_job(choice); });
  });
}

// [(name, meaning, [(name, type, unit, meaning), ...]), ...]
PyObject* schema(PyObject*, PyObject*) {
  return guarded([&]() -> PyObject* {
    Owned tables(PyList_New(0));
    if (!tables) return nullptr;
    for (const query::SchemaTable& table : query::schema()) {
      const Owned columns(PyList_New(0));
      if (!columns) return nullptr;
      for (const query::SchemaColumn& column : table.columns) {
        const Owned row(Py_BuildValue("(ssss)", column.name.c_str(), column.type.c_str(),
                                      column.unit.c_str(), column.meaning.c_str()));
        if (!row || PyList_Append(columns.get(), row.get()) != 0) return nullptr;
      }
      const Owned row(
          Py_BuildValue("(ssO)", table.name.c_str(), table.meaning.c_str(), columns.get()));
      if (!row || PyList_Append(tables.get(), row.get()) != 0) return nullptr;
    }
    return tables.release();
  });
}

// From [(name, column), ...].
PyObject* make_stream(PyObject* module, PyObject* arguments) {
  PyObject* list = nullptr;
  if (PyArg_ParseTuple(arguments, "O!", &PyList_Type, &list) == 0) return nullptr;
  return stream_object(state_of(module).column_type, list);
}

PyMethodDef module_methods[] = {
    {"open", open_run, METH_VARARGS, "opens a run"},
    {"compare", compare, METH_VARARGS, "compares two sides"},
    {"fleet", fleet, METH_VARARGS, "explains a job of many ranks"},
    {"schema", schema, METH_NOARGS, "every table and column"},
    {"stream", make_stream, METH_VARARGS, "columns as a stream of Arrow's C data interface"},
    {nullptr, nullptr, 0, nullptr}};

int begin(PyObject* module) {
  PyType_Slot run_slots[] = {{Py_tp_dealloc, slot(destroy_object<HeldRun>)},
                             {Py_tp_methods, run_methods},
                             {Py_tp_getset, run_facts},
                             {0, nullptr}};
  PyType_Spec run_spec = {"strobe._core.Run", sizeof(Object<HeldRun>), 0, kTypeFlags, run_slots};
  ModuleState& state = state_of(module);
  state.run_type = add_type(module, "Run", run_spec);
  state.column_type = make_column_type(module);
  if (state.run_type == nullptr || state.column_type == nullptr) return -1;
  return PyModule_AddStringConstant(module, "version", std::string(kVersion).c_str());
}

int visit(PyObject* module, visitproc visit, void* arg) {
  ModuleState& state = state_of(module);
  Py_VISIT(state.run_type);
  Py_VISIT(state.column_type);
  return 0;
}

int forget(PyObject* module) {
  ModuleState& state = state_of(module);
  Py_CLEAR(state.run_type);
  Py_CLEAR(state.column_type);
  return 0;
}

PyModuleDef_Slot module_slots[] = {{Py_mod_exec, slot(begin)}, {0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "strobe._core",
                          "strobe's library",
                          sizeof(ModuleState),
                          module_methods,
                          module_slots,
                          visit,
                          forget,
                          nullptr};

}  // namespace
}  // namespace strobe::python

PyMODINIT_FUNC PyInit__core() { return PyModuleDef_Init(&strobe::python::definition); }
