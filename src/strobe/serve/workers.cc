#include "strobe/serve/workers.h"

#include <exception>
#include <utility>

namespace strobe::serve {

Workers::~Workers() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool Workers::add(std::function<void()> task) {
  bool needs_thread = false;
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(task));
    needs_thread = idle_ < waiting_.size() && threads_.size() < most_;
  }
  try {
    if (needs_thread) threads_.emplace_back([this] { work(); });
  } catch (const std::exception&) {  // the machine has no more threads; the others do the task
    if (threads_.empty()) {
      drop_waiting();
      return false;
    }
  }
  work_came_.notify_one();
  return true;
}

void Workers::drop_waiting() {
  const std::scoped_lock lock(mutex_);
  waiting_.clear();
}

bool Workers::finish(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return work_went_.wait_for(lock, patience, [this] { return busy_ == 0; });
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    work_came_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    --idle_;
    if (is_over_) return;
    std::function<void()> task = std::move(waiting_.front());
    waiting_.pop_front();
    ++busy_;
    lock.unlock();
    try {
      task();
    } catch (const std::exception&) {  // of this task only; the thread does the next one
    }
    task = nullptr;  // frees its data while no task waits
    lock.lock();
    --busy_;
    work_went_.notify_all();
  }
}

}  // namespace strobe::serve
