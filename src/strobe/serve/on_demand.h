#pragma once

#include <algorithm>
#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace strobe::serve {

// A value that the first thread to request it computes, while other threads wait. If that throws,
// the next request tries again.
template <class T>
class OnDemand {
 public:
  template <class Make>
  const T& get(Make make) const {
    if (!is_made_) {
      const std::scoped_lock lock(making_);
      if (!is_made_) {
        value_.emplace(make());
        is_made_ = true;
      }
    }
    return *value_;
  }

  // Null until it is computed; never waits.
  const T* peek() const { return is_made_ ? &*value_ : nullptr; }

 private:
  mutable std::mutex making_;
  mutable std::optional<T> value_;
  mutable std::atomic<bool> is_made_ = false;
};

// A cache of the last few requested values, each computed once by the first request. A key contains
// everything that an answer depends on; a returned place stays valid after it was evicted.
template <class T>
class LastAsked {
 public:
  explicit LastAsked(std::size_t most) : most_(most) {}

  std::shared_ptr<const OnDemand<T>> place_of(std::string key) {
    const std::scoped_lock lock(mutex_);
    const auto known = std::ranges::find(places_, key, &Place::key);
    if (known != places_.end()) {
      places_.splice(places_.begin(), places_, known);
    } else {
      places_.push_front({std::move(key), std::make_shared<const OnDemand<T>>()});
      if (places_.size() > most_) places_.pop_back();
    }
    return places_.front().value;
  }

 private:
  struct Place {
    std::string key;
    std::shared_ptr<const OnDemand<T>> value;
  };
  const std::size_t most_;
  std::mutex mutex_;
  std::list<Place> places_;  // most recently used first
};

}  // namespace strobe::serve
