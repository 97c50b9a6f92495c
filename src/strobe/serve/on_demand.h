#pragma once

#include <atomic>
#include <mutex>
#include <optional>

namespace strobe::serve {

// A value that the first thread to ask for it makes, while the others wait.
template <class T>
class OnDemand {
 public:
  template <class Make>
  const T& get(Make make) const {
    std::call_once(once_, [&] {
      value_.emplace(make());
      is_made_ = true;
    });
    return *value_;
  }

  // Null until it is made; never waits.
  const T* peek() const { return is_made_ ? &*value_ : nullptr; }

 private:
  mutable std::once_flag once_;
  mutable std::optional<T> value_;
  mutable std::atomic<bool> is_made_ = false;
};

}  // namespace strobe::serve
