#pragma once

#include <string>
#include <string_view>

namespace strobe::tensorboard {

// A text that means itself inside a page.
std::string html_text(std::string_view text);

}  // namespace strobe::tensorboard
