#include "strobe/serve/open_trace.h"

namespace strobe::serve {

struct OpenTrace::Parts {
  std::string name;
  readers::LoadedTrace loaded;
};

OpenTrace::OpenTrace(std::string name, readers::LoadedTrace loaded)
    : parts_(std::make_unique<Parts>(Parts{std::move(name), std::move(loaded)})) {}
OpenTrace::~OpenTrace() = default;

const std::string& OpenTrace::name() const { return parts_->name; }
const Trace& OpenTrace::trace() const { return parts_->loaded.trace; }
const ImportReport& OpenTrace::report() const { return parts_->loaded.report; }

}  // namespace strobe::serve
