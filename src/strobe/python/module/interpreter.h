#pragma once

// Before all standard headers, which it configures.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <future>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

#include "strobe/base/result.h"
#include "strobe/readers/trace_reader.h"

// Python's interpreter as C++ meets it: references, exceptions, its lock, and objects that hold
// something of C++.
namespace strobe::python {

struct Forget {
  void operator()(PyObject* object) const { Py_XDECREF(object); }
};
using Owned = std::unique_ptr<PyObject, Forget>;

// A file name may be no text.
PyObject* text_object(std::string_view text);

// Sets the exception of strobe for an error; returns nullptr, as functions do that have set one.
std::nullptr_t raise(const Error& error);

// Nothing of C++ may be thrown through the interpreter.
template <class Work>
auto guarded(const Work& work) noexcept -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_SystemError, error.what());
  }
  return {};
}

class WithoutInterpreter {
 public:
  WithoutInterpreter() : state_(PyEval_SaveThread()) {}
  ~WithoutInterpreter() { PyEval_RestoreThread(state_); }
  WithoutInterpreter(const WithoutInterpreter&) = delete;
  WithoutInterpreter& operator=(const WithoutInterpreter&) = delete;

 private:
  PyThreadState* state_;
};

// Work on a thread of its own, so that this one can serve the interpreter meanwhile: Ctrl-C, and a
// function that is told the progress. Other threads of Python run all the time.
class LongWork {
 public:
  explicit LongWork(PyObject* progress) : progress_(progress == Py_None ? nullptr : progress) {}

  std::atomic<bool>& cancelled() { return cancelled_; }
  void tell(const readers::LoadProgress& now) {
    const std::lock_guard lock(mutex_);
    latest_ = now;
  }

  // Nothing if there is an exception of Python.
  template <class Work>
  auto result_of(const Work& work) -> std::optional<decltype(work())> {
    auto future = std::async(std::launch::async, work);
    const auto is_done = [&](std::chrono::milliseconds time) {
      const WithoutInterpreter without;
      return future.wait_for(time) == std::future_status::ready;
    };
    while (!is_done(std::chrono::milliseconds(50))) {
      if (serve_interpreter()) continue;
      cancelled_ = true;
      const WithoutInterpreter without;
      future.wait();
      return std::nullopt;
    }
    return future.get();
  }

 private:
  bool serve_interpreter();  // false after an exception

  PyObject* progress_;
  std::atomic<bool> cancelled_ = false;
  std::mutex mutex_;
  readers::LoadProgress latest_;
  std::uint64_t told_ = 0;
};

template <class Held>
struct Object {
  PyObject head;
  Held held;
};
template <class Held>
Held& held_by(PyObject* object) {
  return reinterpret_cast<Object<Held>*>(object)->held;
}

template <class Held>
PyObject* make_object(PyTypeObject* type, Held held) {
  PyObject* made = PyType_GenericAlloc(type, 0);
  if (made != nullptr) new (&held_by<Held>(made)) Held(std::move(held));
  return made;
}

template <class Held>
void destroy_object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  held_by<Held>(object).~Held();
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(object);
  Py_DECREF(type);
}

template <class Function>
void* slot(Function* function) {
  return reinterpret_cast<void*>(function);
}

// A type that only this module makes objects of; nullptr after an exception.
PyTypeObject* add_type(PyObject* module, const char* name, PyType_Spec& spec);

inline constexpr unsigned kTypeFlags =
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_IMMUTABLETYPE;

}  // namespace strobe::python
