#pragma once

#include <memory>
#include <string>

#include "strobe/readers/trace_reader.h"

namespace strobe::serve {

// One loaded trace, const and shared by all requests. What only some answers need is made once, by
// the first request that asks.
class OpenTrace {
 public:
  OpenTrace(std::string name, readers::LoadedTrace loaded);
  ~OpenTrace();

  const std::string& name() const;  // as /api/v1/runs lists it
  const Trace& trace() const;
  const ImportReport& report() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace strobe::serve
