#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

// Waiting threads, each pinned to its own processor, that work together. The caller is one of them.
namespace strobe::bench {

class ThreadTeam {
 public:
  explicit ThreadTeam(std::vector<int> processors);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  std::int64_t size() const { return static_cast<std::int64_t>(processors_.size()); }

  // work(thread) on threads 0..threads-1, the caller's being 0; returns when all are done.
  using Work = std::function<void(std::int64_t thread)>;
  void run(std::int64_t threads, const Work& work);
  // work(thread, first, last) on equal parts of [0, count), whose bounds are multiples of `grain`.
  using Range = std::function<void(std::int64_t thread, std::int64_t first, std::int64_t last)>;
  void share(std::int64_t count, std::int64_t grain, const Range& work);
  // The same parts in pieces: a thread that has finished its own part helps the others. For work
  // limited by memory, which serves some processors later than others.
  void share_in_pieces(std::int64_t count, std::int64_t grain, const Range& work);

  // Pins the calling thread to the first processor for the lifetime of this object.
  class PinnedCaller {
   public:
    explicit PinnedCaller(const ThreadTeam& team);
    ~PinnedCaller();
    PinnedCaller(const PinnedCaller&) = delete;
    PinnedCaller& operator=(const PinnedCaller&) = delete;

   private:
    std::vector<int> before_;
  };

 private:
  struct alignas(64) Part {  // in grains
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;
  };
  void serve(std::int64_t thread);

  std::vector<int> processors_;
  std::vector<Part> parts_;               // of share_in_pieces()
  std::atomic<std::uint64_t> round_ = 0;  // counts calls of run(); a new one wakes the team
  std::atomic<std::int64_t> busy_ = 0;
  std::atomic<bool> is_over_ = false;
  std::int64_t threads_ = 0;
  const Work* work_ = nullptr;
  std::vector<std::thread> others_;
};

}  // namespace strobe::bench
