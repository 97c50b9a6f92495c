#include "strobe/bench/providers/codegen/row_packets.h"

namespace strobe::bench {

std::string RowPackets::here() const { return cat("t + k * ", schedule_.group); }

std::string RowPackets::presence() const {
  if (layout_.always == layout_.per_thread) return "";
  const std::string limit = schedule_.cluster > 1 && layout_.least_slice != layout_.slice
                                ? std::string("count")
                                : cat(layout_.slice);
  const std::string inside = cat(here(), " < ", limit);
  return layout_.always == 0 ? inside : cat("k < ", layout_.always, " || ", inside);
}

void RowPackets::open(SourceText& text, bool is_unrolled) const {
  text.line(is_unrolled ? "#pragma unroll" : "#pragma unroll 4");
  text.open("for (int k = 0; k < ", layout_.per_thread, "; ++k)");
  const std::string present = presence();
  if (!present.empty()) text.open("if (", present, ")");
}

void RowPackets::close(SourceText& text) const {
  if (!presence().empty()) text.close();
  text.close();
}

}  // namespace strobe::bench
