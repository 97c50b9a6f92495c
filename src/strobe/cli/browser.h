#pragma once

#include <string>

namespace strobe::cli {

// Asks the desktop (or $BROWSER) to show an address. False if nothing could be started.
bool open_in_browser(const std::string& url);

}  // namespace strobe::cli
