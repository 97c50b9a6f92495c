#include "strobe/base/byte_stream.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace strobe {
namespace {

constexpr std::size_t kPrefetchBlocks = 6;
constexpr std::size_t kPrefetchBlockBytes = 1 << 20;

class PrefetchStream final : public ByteStream {
 public:
  explicit PrefetchStream(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)),
        blocks_(kPrefetchBlocks),
        worker_([this](const std::stop_token& stop) { work(stop); }) {}

  ~PrefetchStream() override {
    {
      // Without the lock the worker could miss the request between its test and its sleep.
      const std::scoped_lock lock(mutex_);
      worker_.request_stop();
    }
    changed_.notify_all();
  }

  Result<std::size_t> read(std::span<char> out) override {
    std::size_t done = 0;
    while (done < out.size()) {
      Block* block = next_full();
      if (block == nullptr) break;
      const std::size_t bytes = std::min(out.size() - done, block->filled - taken_);
      std::memcpy(out.data() + done, block->bytes.data() + taken_, bytes);
      done += bytes;
      taken_ += bytes;
      if (taken_ == block->filled) give_back();
    }
    if (done == 0 && end_exception_ != nullptr) std::rethrow_exception(end_exception_);
    if (done == 0 && end_error_) return *end_error_;
    return done;
  }

  std::uint64_t consumed_bytes() const override {
    return consumed_.load(std::memory_order_relaxed);
  }

 private:
  struct Block {
    std::vector<char> bytes;
    std::size_t filled = 0;
  };

  Block* next_full() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return written_ > read_ || ended_; });
    return written_ > read_ ? &blocks_[read_ % kPrefetchBlocks] : nullptr;
  }

  void give_back() {
    taken_ = 0;
    const std::scoped_lock lock(mutex_);
    ++read_;
    changed_.notify_all();
  }

  // Memory may run out on the worker's thread; the thread that reads has to know it.
  void work(const std::stop_token& stop) {
    try {
      fill(stop);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      end_exception_ = std::current_exception();
      ended_ = true;
      changed_.notify_all();
    }
  }

  void fill(const std::stop_token& stop) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock,
                      [&] { return written_ - read_ < kPrefetchBlocks || stop.stop_requested(); });
        if (stop.stop_requested()) return;
      }
      Block& block = blocks_[written_ % kPrefetchBlocks];
      block.bytes.resize(kPrefetchBlockBytes);
      const auto bytes = stream_->read(block.bytes);
      consumed_.store(stream_->consumed_bytes(), std::memory_order_relaxed);
      const std::scoped_lock lock(mutex_);
      if (bytes && *bytes > 0) {
        block.filled = *bytes;
        ++written_;
      } else {
        if (!bytes) end_error_ = bytes.error();
        ended_ = true;
      }
      changed_.notify_all();
      if (ended_) return;
    }
  }

  std::unique_ptr<ByteStream> stream_;
  std::vector<Block> blocks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t written_ = 0;  // blocks filled and emptied so far; the ring holds the difference
  std::size_t read_ = 0;
  bool ended_ = false;
  std::optional<Error> end_error_;  // these two are written before ended_
  std::exception_ptr end_exception_;
  std::size_t taken_ = 0;  // of the block being read; the reader's own
  std::atomic<std::uint64_t> consumed_ = 0;
  std::jthread worker_;  // last: it uses everything above
};

}  // namespace

std::unique_ptr<ByteStream> prefetch(std::unique_ptr<ByteStream> stream) {
  return std::make_unique<PrefetchStream>(std::move(stream));
}

}  // namespace strobe
