#pragma once

#include <string>

#include "strobe/base/result.h"

namespace strobe {

// An error as people read it, wherever they meet it: "cannot read 'x': it is a directory".
std::string error_sentence(const Error& error);

}  // namespace strobe
