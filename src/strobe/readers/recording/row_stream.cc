#include "strobe/readers/recording/row_stream.h"

#include <system_error>

namespace strobe::readers {

bool RowStream::next(DecodedRows& rows) {
  for (; !chunks_.empty(); chunks_ = chunks_.subspan(1), blocks_.reset()) {
    const RowChunk& from = chunks_.front();
    if (!blocks_) blocks_.emplace(from.chunk);
    rows.rows = blocks_->next(rows.columns);
    rows.segment = from.segment;
    rows.kind = from.chunk.header.kind;
    rows.offset = from.chunk.offset;
    rows.is_damaged = blocks_->is_damaged();
    if (rows.rows == 0 && !rows.is_damaged) continue;
    if (rows.is_damaged) {
      chunks_ = chunks_.subspan(1);
      blocks_.reset();
    }
    return true;
  }
  return false;
}

RowBlockQueue::RowBlockQueue(std::span<const RowChunk> chunks, bool ahead) : stream_(chunks) {
  if (!ahead) return;
  try {
    thread_ = std::thread([this] { decode_all(); });
  } catch (const std::system_error&) {  // the machine has no more threads: the caller's decodes
  }
}

RowBlockQueue::~RowBlockQueue() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_stopped_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

bool RowBlockQueue::wait_for_room() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_stopped_ || decoded_ - used_ < kBlocks; });
  return !is_stopped_;
}

void RowBlockQueue::decode_all() {
  std::exception_ptr failure;
  try {
    for (std::size_t number = 0; wait_for_room() && stream_.next(blocks_[number % kBlocks]);) {
      const std::scoped_lock lock(mutex_);
      decoded_ = ++number;
      if (decoded_ - used_ == 1) changed_.notify_all();  // nobody waits if there was one before
    }
  } catch (...) {
    failure = std::current_exception();
  }
  const std::scoped_lock lock(mutex_);
  is_at_end_ = true;
  failure_ = failure;
  changed_.notify_all();
}

DecodedRows* RowBlockQueue::next() {
  if (!thread_.joinable()) return stream_.next(blocks_[0]) ? &blocks_[0] : nullptr;
  std::unique_lock lock(mutex_);
  if (is_used_) {
    ++used_;
    if (decoded_ - used_ == kBlocks / 2) changed_.notify_all();  // not for every single one
  }
  changed_.wait(lock, [this] { return decoded_ > used_ || is_at_end_; });
  is_used_ = decoded_ > used_;
  if (is_used_) return &blocks_[used_ % kBlocks];
  if (failure_) std::rethrow_exception(failure_);
  return nullptr;
}

}  // namespace strobe::readers
