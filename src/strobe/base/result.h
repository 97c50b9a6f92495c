#pragma once

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "strobe/base/check.h"

namespace strobe {

// What happened, so that a caller can decide; error texts never decide anything.
enum class ErrorCode {
  kInvalidArgument,  // the request itself makes no sense
  kNotFound,         // no such file, or it cannot be opened
  kMalformed,        // not a format that we can read
  kTooLittleData,    // readable, but no answer can be given
  kCannotWrite,
  kMachineLacks,  // a driver, a permission, a library
  kOutOfMemory,
  kUnsupported,  // the machine has what it takes, but not for this request
  kInterrupted,
};

// `what` is one lowercase sentence without a full stop, `where` a file with its offset or a flag,
// `hint` the next thing to try.
struct Error {
  ErrorCode code = ErrorCode::kMalformed;
  std::string what;
  std::string where;
  std::string hint;
};

// "there is no driver; install one"
inline std::string what_and_hint(const Error& error) {
  return error.hint.empty() ? error.what : error.what + "; " + error.hint;
}

// A value or an Error; the verbs are those of C++23's std::expected, which GCC 12 does not have in
// C++20 mode.
template <class T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  // Implicit on purpose: `return trace;` and `return Error{...};` are how functions end.
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): see above
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & { return checked(), std::get<0>(state_); }
  const T& value() const& { return checked(), std::get<0>(state_); }
  T&& value() && { return checked(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    STROBE_CHECK(!has_value(), "error() needs a failure");
    return std::get<1>(state_);
  }
  Error&& error() && {
    STROBE_CHECK(!has_value(), "error() needs a failure");
    return std::get<1>(std::move(state_));
  }

 private:
  void checked() const { STROBE_CHECK(has_value(), "value() needs a success"); }
  std::variant<T, Error> state_;
};

// Success without a value.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): `return Error{...};`
  Result(Error error) : error_(std::move(error)) {}

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  const Error& error() const& {
    STROBE_CHECK(!has_value(), "error() needs a failure");
    return *error_;
  }
  Error&& error() && {
    STROBE_CHECK(!has_value(), "error() needs a failure");
    return std::move(*error_);
  }

 private:
  std::optional<Error> error_;
};

}  // namespace strobe

#define STROBE_JOIN_IMPL(a, b) a##b
#define STROBE_JOIN(a, b) STROBE_JOIN_IMPL(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration takes none
// STROBE_TRY(const auto bytes, map_file(path)); declares `bytes`, or returns the Error to the
// caller.
#define STROBE_TRY(declaration, expression) \
  STROBE_TRY_IMPL(STROBE_JOIN(strobe_try_, __LINE__), declaration, expression)
#define STROBE_TRY_IMPL(result, declaration, expression) \
  auto result = (expression);                            \
  if (!result) [[unlikely]]                              \
    return std::move(result).error();                    \
  declaration = std::move(result).value()
// NOLINTEND(bugprone-macro-parentheses)

// The same for a Result<void>.
#define STROBE_TRY_VOID(expression)                                \
  do {                                                             \
    if (auto strobe_try_result = (expression); !strobe_try_result) \
      return std::move(strobe_try_result).error();                 \
  } while (false)
