#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace strobe::serve {

// Threads that run tasks in the order in which they were added. A thread is started if a task finds
// none idle, up to `most` of them.
class Workers {
 public:
  explicit Workers(unsigned most) : most_(most) {}
  ~Workers();  // waits for running tasks; the others are dropped

  // By one thread only. False if the task is not done: there is no thread, and none can start.
  bool add(std::function<void()> task);
  void drop_waiting();
  // Whether all running tasks ended within that time.
  bool finish(std::chrono::milliseconds patience);

 private:
  void work();

  const unsigned most_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable work_came_;
  std::condition_variable work_went_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  std::size_t busy_ = 0;
  bool is_over_ = false;
};

}  // namespace strobe::serve
