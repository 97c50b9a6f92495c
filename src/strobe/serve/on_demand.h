#pragma once

#include <mutex>
#include <optional>

namespace strobe::serve {

// A value that the first thread to ask for it makes, while the others wait.
template <class T>
class OnDemand {
 public:
  template <class Make>
  const T& get(Make make) const {
    std::call_once(once_, [&] { value_.emplace(make()); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
};

}  // namespace strobe::serve
