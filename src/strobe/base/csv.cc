#include "strobe/base/csv.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/simd.h"
#include "strobe/base/text.h"

namespace strobe {
namespace {

constexpr std::size_t kBlock = 64;
static_assert(kBlock <= simd::kSimdPadding);
// An unclosed quote must not swallow the whole file.
constexpr std::size_t kMostRecordBytes = 16 << 20;

// Line ends are never part of a field, but broken files contain a single "\r".
bool is_padding(char c) { return is_blank(c) || c == '\r'; }

}  // namespace

CsvRecords::CsvRecords(ByteStream& stream, const CsvOptions& options)
    : stream_(&stream),
      log_mark_(options.log_mark),
      buffer_(std::max(options.buffer_bytes, kBlock) + simd::kSimdPadding),
      end_(buffer_.data()),
      next_(buffer_.data()),
      record_(buffer_.data()),
      offsets_(kBlock) {
  skip_byte_order_mark();
}

CsvRecords::CsvRecords(std::string_view text, const CsvOptions& options)
    : log_mark_(options.log_mark),
      buffer_(text.size() + simd::kSimdPadding),
      end_(buffer_.data() + text.size()),
      next_(buffer_.data()),
      record_(buffer_.data()),
      offsets_(kBlock),
      at_end_(true) {
  std::ranges::copy(text, buffer_.begin());
  skip_byte_order_mark();
}

void CsvRecords::skip_byte_order_mark() {
  while (end_ - next_ < 3 && read_more()) {
  }
  if (std::string_view(next_, end_).starts_with(kByteOrderMark)) next_ += kByteOrderMark.size();
}

// Keeps unread bytes, makes room and appends; false at the end of the text.
bool CsvRecords::read_more() {
  if (at_end_) return false;
  const std::size_t kept = static_cast<std::size_t>(end_ - next_);
  std::memmove(buffer_.data(), next_, kept);
  if (2 * (kept + simd::kSimdPadding) > buffer_.size()) buffer_.resize(2 * buffer_.size());
  next_ = buffer_.data();
  const std::size_t room = buffer_.size() - kept - simd::kSimdPadding;
  Result<std::size_t> bytes = stream_->read({buffer_.data() + kept, room});
  if (!bytes) damage_ = std::move(bytes).error();
  const std::size_t fresh = damage_ ? 0 : *bytes;
  at_end_ = fresh == 0;
  end_ = buffer_.data() + kept + fresh;
  std::memset(end_, 0, simd::kSimdPadding);
  return !at_end_;
}

void CsvRecords::add_separators(std::uint64_t commas, std::size_t offset) {
  if (offsets_.size() < separators_ + kBlock) offsets_.resize(2 * offsets_.size() + kBlock);
  std::uint32_t* out = offsets_.data() + separators_;
  separators_ += static_cast<std::size_t>(std::popcount(commas));
  for (; commas != 0; commas &= commas - 1) {
    *out++ =
        static_cast<std::uint32_t>(offset + static_cast<std::size_t>(std::countr_zero(commas)));
  }
}

CsvRecords::Scan CsvRecords::scan() {
  separators_ = 0;
  std::uint64_t inside = 0;  // all ones after an odd number of quotes
  std::size_t lines = 0;
  const std::size_t left = static_cast<std::size_t>(end_ - next_);
  for (std::size_t offset = 0; offset < left; offset += kBlock) {
    const simd::Block block = simd::load_block(next_ + offset);
    const std::uint64_t quoted = simd::prefix_xor(simd::matches(block, '"')) ^ inside;
    const std::uint64_t newlines = simd::matches(block, '\n');
    const std::uint64_t ends = newlines & ~quoted;
    const std::uint64_t commas = simd::matches(block, ',') & ~quoted;
    if (ends != 0) {
      const int end = std::countr_zero(ends);
      const std::uint64_t before = (std::uint64_t{1} << end) - 1;
      add_separators(commas & before, offset);
      next_line_ += lines + static_cast<std::size_t>(std::popcount(newlines & before));
      end_at(offset + static_cast<std::size_t>(end), true);
      return Scan::kRecord;
    }
    add_separators(commas, offset);
    lines += static_cast<std::size_t>(std::popcount(newlines));
    inside = 0 - (quoted >> 63);
  }
  in_quotes_at_end_ = inside != 0;
  return Scan::kNeedsMore;
}

void CsvRecords::end_at(std::size_t bytes, bool has_newline) {
  record_ = next_;
  record_bytes_ = bytes > 0 && record_[bytes - 1] == '\r' ? bytes - 1 : bytes;
  next_line_ += has_newline ? 1 : 0;
  is_cut_ = !has_newline;
  next_ += bytes + (has_newline ? 1 : 0);
}

bool CsvRecords::at_log_line() {
  if (log_mark_.empty()) return false;
  while (static_cast<std::size_t>(end_ - next_) < log_mark_.size() && read_more()) {
  }
  return std::string_view(next_, end_).starts_with(log_mark_);
}

bool CsvRecords::next() {
  while (at_log_line()) next_line();
  unquoted_.clear();
  is_broken_ = false;
  line_ = next_line_;
  while (scan() == Scan::kNeedsMore) {
    const std::size_t left = static_cast<std::size_t>(end_ - next_);
    if (left < kMostRecordBytes && read_more()) continue;
    if (left == 0) return false;
    const char* const newline = static_cast<const char*>(std::memchr(next_, '\n', left));
    if (newline == nullptr) {
      end_at(left, false);
      is_broken_ = in_quotes_at_end_;
      return true;
    }
    // The opening quote is a stray one: only its line is lost.
    is_broken_ = true;
    separators_ = 0;
    end_at(static_cast<std::size_t>(newline - next_), true);
    return true;
  }
  return true;
}

bool CsvRecords::next_line() {
  unquoted_.clear();
  is_broken_ = false;
  line_ = next_line_;
  separators_ = 0;
  for (std::size_t searched = 0;;) {
    const std::size_t left = static_cast<std::size_t>(end_ - next_);
    const void* const newline = std::memchr(next_ + searched, '\n', left - searched);
    if (newline != nullptr) {
      end_at(static_cast<std::size_t>(static_cast<const char*>(newline) - next_), true);
      return true;
    }
    if (left < kMostRecordBytes && read_more()) {
      searched = left;
      continue;
    }
    if (left == 0) return false;
    end_at(left, false);
    return true;
  }
}

std::string_view CsvRecords::field(std::size_t column) {
  if (column > separators_) return {};
  const char* begin = record_ + (column == 0 ? 0 : offsets_[column - 1] + 1);
  const char* end = record_ + (column < separators_ ? offsets_[column] : record_bytes_);
  while (begin < end && is_padding(*begin)) ++begin;
  while (begin < end && is_padding(end[-1])) --end;
  if (begin == end || *begin != '"') return {begin, static_cast<std::size_t>(end - begin)};
  ++begin;
  if (end > begin && end[-1] == '"') --end;
  const std::string_view inside(begin, static_cast<std::size_t>(end - begin));
  if (std::memchr(begin, '"', inside.size()) == nullptr) return inside;
  std::string& text = unquoted_.emplace_front();
  for (std::size_t i = 0; i < inside.size(); ++i) {
    text += inside[i];
    if (inside[i] == '"' && i + 1 < inside.size() && inside[i + 1] == '"') ++i;
  }
  return text;
}

std::vector<std::string> CsvRecords::fields() {
  std::vector<std::string> fields;
  for (std::size_t i = 0; i < size(); ++i) fields.emplace_back(field(i));
  return fields;
}

void CsvRecords::split_line() {
  separators_ = 0;
  bool is_inside = false;
  bool is_field_begin = true;  // a later quote in a field is an ordinary character
  for (std::size_t i = 0; i < record_bytes_; ++i) {
    const char c = record_[i];
    if (c == '"' && (is_inside || is_field_begin)) {
      is_inside = !is_inside;
      is_field_begin = !is_inside;  // `""` inside a field continues it
    } else if (c == ',' && !is_inside) {
      if (separators_ == offsets_.size()) offsets_.resize(2 * offsets_.size());
      offsets_[separators_++] = static_cast<std::uint32_t>(i);
      is_field_begin = true;
    } else if (!is_blank(c)) {
      is_field_begin = false;
    }
  }
  is_broken_ = is_inside;
}

CsvWriter& CsvWriter::raw(std::string_view fields) {
  if (!is_first_) *out_ += ',';
  is_first_ = false;
  *out_ += fields;
  return *this;
}

CsvWriter& CsvWriter::field(std::string_view text) {
  const bool is_quoted = quotes_ == CsvQuotes::kTexts || text.starts_with('#') ||
                         text.find_first_of(",\"\r\n") != std::string_view::npos;
  if (!is_quoted) return raw(text);
  raw("\"");
  for (const char c : text) {
    if (c == '"') *out_ += '"';
    *out_ += c;
  }
  *out_ += '"';
  return *this;
}

CsvWriter& CsvWriter::field(double number) {
  return std::isfinite(number) ? raw(fmt::format("{}", number)) : empty();
}

void CsvWriter::end_row() {
  *out_ += '\n';
  is_first_ = true;
}

}  // namespace strobe
