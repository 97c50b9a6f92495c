#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "strobe/agents/answer.h"

namespace strobe::agents {

// The address of a screen of the web page for some traces:
// "http://…/#/timeline?trace=a.json&from=0". `page` may be "": then the address is relative to
// wherever the page is served.
std::string page_address(
    std::string_view page, std::string_view screen, const std::vector<std::string>& traces,
    const std::vector<std::pair<std::string_view, std::string>>& parameters = {});

// A piece of a trace's timeline, with a little room at both sides.
Link timeline_link(std::string_view page, std::string what, const std::string& trace,
                   std::int64_t start_ns, std::int64_t length_ns);

// A slice on the timeline, chosen, and as large as a tenth of the screen.
Link slice_link(std::string_view page, std::string what, const std::string& trace,
                std::int64_t slice, std::int64_t start_ns, std::int64_t length_ns);

}  // namespace strobe::agents
