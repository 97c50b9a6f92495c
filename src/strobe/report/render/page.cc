#include "strobe/report/render/page.h"

// The bytes of the file go directly into the read-only data of the binary, followed by a zero.
// STROBE_PAGE_FILE is its path.
asm(R"(
.section .rodata
.global strobe_page_begin
.global strobe_page_end
strobe_page_begin:
.incbin ")" STROBE_PAGE_FILE R"("
strobe_page_end:
.byte 0
.previous
)");

extern "C" {
extern const char strobe_page_begin[];  // NOLINT: named for the assembler
extern const char strobe_page_end[];    // NOLINT: named for the assembler
}

namespace strobe::report {

std::string_view page_html() {
  return {strobe_page_begin, static_cast<std::size_t>(strobe_page_end - strobe_page_begin)};
}

}  // namespace strobe::report
