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

// The last few things that were asked for, each made once, by whoever asks first. A key says all
// that an answer depends on; who holds a place keeps it, also after others have pushed it out.
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
  std::list<Place> places_;  // the last one asked for first
};

}  // namespace strobe::serve
