#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "strobe/writers/byte_sink.h"

namespace strobe::writers {
namespace {

constexpr std::size_t kRingBlocks = 6;
constexpr std::size_t kRingBlockBytes = 1 << 20;

class BackgroundSink final : public ByteSink {
 public:
  explicit BackgroundSink(std::unique_ptr<ByteSink> target)
      : target_(std::move(target)), blocks_(kRingBlocks), worker_([this] { work(); }) {}

  BackgroundSink(const BackgroundSink&) = delete;
  BackgroundSink& operator=(const BackgroundSink&) = delete;
  ~BackgroundSink() override { end(Ending::kAbandoned); }

  Result<void> write(std::string_view bytes) override {
    while (!bytes.empty()) {
      std::string& block = blocks_[filled_ % kRingBlocks];
      if (block.capacity() == 0) block.reserve(kRingBlockBytes);
      const std::string_view piece = bytes.substr(0, kRingBlockBytes - block.size());
      block.append(piece);
      bytes.remove_prefix(piece.size());
      if (block.size() == kRingBlockBytes) STROBE_TRY_VOID(pass_on());
    }
    return {};
  }

  Result<void> finish() override {
    if (!blocks_[filled_ % kRingBlocks].empty()) STROBE_TRY_VOID(pass_on());
    end(Ending::kFinished);
    return outcome();
  }

 private:
  enum class Ending { kOpen, kFinished, kAbandoned };

  // Gives the current block to the worker and waits until the next one is free.
  Result<void> pass_on() {
    std::unique_lock lock(mutex_);
    ++filled_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return filled_ - emptied_ < kRingBlocks || is_over_; });
    lock.unlock();
    return outcome();
  }

  void end(Ending ending) {
    {
      const std::scoped_lock lock(mutex_);
      if (ending_ == Ending::kOpen) ending_ = ending;
      changed_.notify_all();
    }
    if (worker_.joinable()) worker_.join();
  }

  // Memory may run out on the worker's thread; the thread that writes has to know it.
  Result<void> outcome() {
    const std::scoped_lock lock(mutex_);
    if (exception_ != nullptr) std::rethrow_exception(exception_);
    if (error_) return *error_;
    return {};
  }

  void work() {
    try {
      Result<void> result = pass_blocks();
      const std::scoped_lock lock(mutex_);
      if (!result) error_ = std::move(result).error();
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      exception_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }

  Result<void> pass_blocks() {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return filled_ > emptied_ || ending_ != Ending::kOpen; });
        if (ending_ == Ending::kAbandoned) return {};
        if (filled_ == emptied_) break;
      }
      std::string& block = blocks_[emptied_ % kRingBlocks];
      STROBE_TRY_VOID(target_->write(block));
      block.clear();
      const std::scoped_lock lock(mutex_);
      ++emptied_;
      changed_.notify_all();
    }
    return target_->finish();
  }

  std::unique_ptr<ByteSink> target_;
  std::vector<std::string> blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t filled_ = 0;  // blocks passed on and emptied so far; the ring holds the difference
  std::size_t emptied_ = 0;
  Ending ending_ = Ending::kOpen;
  bool is_over_ = false;
  std::optional<Error> error_;
  std::exception_ptr exception_;
  std::thread worker_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<ByteSink> in_background(std::unique_ptr<ByteSink> target) {
  return std::make_unique<BackgroundSink>(std::move(target));
}

}  // namespace strobe::writers
