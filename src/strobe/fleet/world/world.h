#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "strobe/base/result.h"

// The processes that answer one question together: this one alone, or as many as mpirun or srun
// started.
namespace strobe::fleet {

class World {
 public:
  virtual ~World() = default;

  std::size_t self() const { return self_; }
  std::size_t size() const { return size_; }
  bool is_first() const { return self_ == 0; }

  // Begins to reach the other processes, which takes a while, and returns. Until gather() returns,
  // this may change the environment of the process: read its variables before.
  virtual void connect() {}
  // connect() has found that no answer will come: gather() says why.
  virtual bool is_lost() const { return false; }

  // The messages of every process, by process, in the first one; nothing in the others. Called
  // once.
  virtual Result<std::vector<std::vector<std::string>>> gather(
      std::vector<std::string> messages) = 0;

 protected:
  World(std::size_t self, std::size_t size) : self_(self), size_(size) {}

 private:
  std::size_t self_;
  std::size_t size_;
};

// kMachineLacks if this is one of several processes and has nothing to speak with.
Result<std::unique_ptr<World>> open_world();

}  // namespace strobe::fleet
