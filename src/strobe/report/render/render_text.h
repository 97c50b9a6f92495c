#pragma once

#include <string>

#include "strobe/report/render/document.h"

namespace strobe::report {

struct TextStyle {
  int width = 100;
  bool color = false;
  bool unicode = true;
};

// A report for a terminal. No line is wider than the style's width (40 at least): names are
// shortened, then the least important columns leave and a line says which; numbers stay whole.
std::string render_text(const Document& document, const TextStyle& style);

}  // namespace strobe::report
