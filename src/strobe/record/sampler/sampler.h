#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "strobe/record/sampler/host_file.h"
#include "strobe/record/sampler/pace.h"

// The thread that looks at a running program from outside.
namespace strobe::record {

// Something that is looked at again and again.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  virtual void look(std::int64_t now_ns) = 0;
  virtual void look_last(std::int64_t now_ns) { look(now_ns); }
  // The file has started again from 0: names and series must be written again.
  virtual void restart() {}
};

// Runs sources at their rhythms in a thread of its own and writes their samples once a second. All
// of them start with the same multiples of time, so that the thread wakes up as rarely as possible.
class Sampler {
 public:
  explicit Sampler(HostFile& file);
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler() { stop(); }

  // Also while it runs. The first look follows at once.
  void add(std::unique_ptr<Source> source, const Rhythm& rhythm);
  void start();
  // Writes out what was sampled until now, and returns when it is in the file.
  void flush();
  // Runs this while no source looks: what they have found can be read.
  void between_looks(const std::function<void()>& work);
  // Looks once more at everything and writes it out.
  void stop();

  // Time that the thread has spent on a core, and since it was started. After stop().
  struct Cost {
    double cpu_seconds = 0;
    double seconds = 0;
  };
  Cost cost() const { return cost_; }

 private:
  struct Timed {
    std::unique_ptr<Source> source;
    Pace pace;
  };

  void run();
  void look_at_due(std::int64_t now_ns);
  void look_last();
  void write_out(std::int64_t now_ns);
  std::int64_t next_ns() const;

  HostFile& file_;
  const std::int64_t start_ns_;
  std::mutex mutex_;  // of everything below
  std::condition_variable wake_;
  std::condition_variable flushed_;
  std::vector<Timed> sources_;
  Pace write_;
  bool is_flush_wanted_ = false;
  bool has_to_stop_ = false;
  Cost cost_;
  std::thread thread_;
};

}  // namespace strobe::record
