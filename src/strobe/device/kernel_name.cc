#include "strobe/device/kernel_name.h"

#include <initializer_list>

#include "strobe/device/brackets.h"
#include "strobe/device/kernel_detail.h"
#include "strobe/device/qualified_name.h"

namespace strobe::device {
namespace {

std::string without(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string rest;
  rest.reserve(text.size());
  while (!text.empty()) {
    std::size_t skipped = 0;
    for (const std::string_view word : words) {
      if (text.starts_with(word)) skipped = word.size();
    }
    if (skipped == 0) rest += text[0];
    text.remove_prefix(skipped == 0 ? 1 : skipped);
  }
  return rest;
}

}  // namespace

std::string seed_name(std::string_view full) {
  const std::string plain = demangled(full);
  std::string_view text = plain;
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  // Before the cuts: an anonymous namespace begins with the very sign they cut at.
  const std::string bare =
      without(text, {"at::native::", "<unnamed>::", "(anonymous namespace)::", "cutlass::"});
  const std::string_view cut = std::string_view(bare).substr(0, bare.find_first_of("<("));
  const std::string_view name = without_blanks_around(cut);
  return name.empty() ? short_name(full) : std::string(name);
}

std::string short_name(std::string_view full) {
  return std::string(qualified_name(demangled(full)).base);
}

std::string detail_name(std::string_view full) {
  const std::string plain = demangled(full);
  const QualifiedName name = qualified_name(plain);
  const std::string detail = kernel_detail(name.base, name.arguments);
  std::string text(name.base);
  return detail.empty() ? text : text.append("[").append(detail).append("]");
}

}  // namespace strobe::device
