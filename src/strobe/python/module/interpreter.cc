#include "strobe/python/module/interpreter.h"

#include "strobe/base/error_text.h"

namespace strobe::python {
namespace {

const char* word_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kTooLittleData:
      return "too_little_data";
    case ErrorCode::kCannotWrite:
      return "cannot_write";
    case ErrorCode::kMachineLacks:
      return "machine_lacks";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
    case ErrorCode::kUnsupported:
      return "unsupported";
    case ErrorCode::kInterrupted:
      break;
  }
  return "interrupted";
}

}  // namespace

PyObject* text_object(std::string_view text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

std::nullptr_t raise(const Error& error) {
  const Owned errors(PyImport_ImportModule("strobe._errors"));
  if (!errors) return nullptr;
  const Owned sentence(text_object(error_sentence(error)));
  const Owned where(text_object(error.where));
  const Owned hint(text_object(error.hint));
  if (!sentence || !where || !hint) return nullptr;
  const Owned made(PyObject_CallMethod(errors.get(), "error_of", "sOOO", word_of(error.code),
                                       sentence.get(), where.get(), hint.get()));
  if (made) PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.get())), made.get());
  return nullptr;
}

bool LongWork::serve_interpreter() {
  if (PyErr_CheckSignals() != 0) return false;
  readers::LoadProgress now;
  {
    const std::lock_guard lock(mutex_);
    now = latest_;
  }
  if (progress_ == nullptr || now.bytes_done == told_) return true;
  told_ = now.bytes_done;
  const Owned done(PyObject_CallFunction(progress_, "KK",
                                         static_cast<unsigned long long>(now.bytes_done),
                                         static_cast<unsigned long long>(now.bytes_total)));
  return done != nullptr;
}

PyTypeObject* add_type(PyObject* module, const char* name, PyType_Spec& spec) {
  PyObject* type = PyType_FromModuleAndSpec(module, &spec, nullptr);
  if (type == nullptr || PyModule_AddObjectRef(module, name, type) != 0) return nullptr;
  return reinterpret_cast<PyTypeObject*>(type);
}

}  // namespace strobe::python
