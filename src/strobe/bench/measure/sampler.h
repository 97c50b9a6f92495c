#pragma once

#include <string>

#include "strobe/base/result.h"
#include "strobe/bench/providers/provider.h"

// Whoever gives samples of one cell: a provider in a worker process, or a script in a test. The
// core never sees a clock itself.
namespace strobe::bench {

class Sampler {
 public:
  virtual ~Sampler() = default;
  virtual Result<SampleBlock> sample(const SampleRequest& request) = 0;
};

}  // namespace strobe::bench
