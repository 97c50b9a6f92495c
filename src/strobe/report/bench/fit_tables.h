#pragma once

#include <cstddef>

#include "strobe/report/render/document.h"

namespace strobe::report {

// Makes the tables of a page at most `width` wide, for a text page, without losing a number: a
// column of words that is the same in every row becomes a note, long words are shortened, the last
// column of words is wrapped, and a table that is still too wide goes on below, with the columns
// that name its rows repeated.
void fit_tables(Document& page, std::size_t width, bool unicode);

}  // namespace strobe::report
