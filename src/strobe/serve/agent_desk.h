#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "strobe/agents/lab.h"
#include "strobe/serve/http_message.h"
#include "strobe/serve/site.h"

namespace strobe::serve {

// What agents may ask: the answers of the API about the traces of a shelf. A call waits until its
// traces are loaded. Paths are resolved, links too, and must lead to a file below the folder that
// is served.
class AgentDesk : public agents::Lab {
 public:
  // All three must outlive the desk. `page`: the address of the web page, once it is known.
  AgentDesk(const SiteSources& sources, TraceShelf& traces, std::function<std::string()> page);

  Result<std::string> ask(std::string_view route, const Parameters& parameters,
                          const agents::Watch& watch) override;
  Result<agents::Source> find(const std::string& typed) override;
  std::string page() const override;

  // A POST to /mcp: one message of the Model Context Protocol, and its answer as JSON.
  HttpResponse answer(const HttpRequest& request);

 private:
  Result<std::string> ask_once(std::string_view route, const Parameters& parameters,
                               const agents::Watch& watch, bool& is_loading);
  Result<agents::Source> only_source(const ShelfView& view) const;

  const SiteSources& sources_;
  TraceShelf& traces_;
  std::function<std::string()> page_;
};

}  // namespace strobe::serve
