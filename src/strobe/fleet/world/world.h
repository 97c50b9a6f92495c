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

  // The messages of every process, by process, in the first one; nothing in the others. All
  // processes call it equally often.
  virtual Result<std::vector<std::vector<std::string>>> gather(
      std::vector<std::string> messages) = 0;

 protected:
  World(std::size_t self, std::size_t size) : self_(self), size_(size) {}

 private:
  std::size_t self_;
  std::size_t size_;
};

// kMachineLacks if this is one of several processes that cannot speak with each other.
Result<std::unique_ptr<World>> open_world();

}  // namespace strobe::fleet
