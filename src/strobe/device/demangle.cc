#include "strobe/device/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace strobe::device {

std::string demangled(std::string_view name) {
  std::string text(name);
  if (!name.starts_with("_Z") || name.find('\0') != std::string_view::npos) return text;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && plain ? std::string(plain.get()) : text;
}

}  // namespace strobe::device
