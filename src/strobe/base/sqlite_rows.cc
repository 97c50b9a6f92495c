#include "strobe/base/sqlite_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <utility>

#include "strobe/base/text.h"

// The layout of the file is described at https://www.sqlite.org/fileformat2.html.
namespace strobe::sqlite {
namespace {

constexpr std::size_t kHeaderBytes = 100;
constexpr std::uint64_t kLongestRecord = 64 << 20;
constexpr std::uint32_t kNotWanted = StoredColumn::kNowhere;

using Bytes = std::span<const unsigned char>;

std::uint32_t number_at(Bytes bytes, std::size_t at, std::size_t count) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) number = number << 8 | bytes[at + i];
  return number;
}

// Moves `at` behind a number of one to nine bytes. False if the bytes end inside it.
inline bool read_number(Bytes bytes, std::size_t& at, std::uint64_t& number) {
  if (at < bytes.size() && bytes[at] < 0x80) [[likely]] {
    number = bytes[at++];
    return true;
  }
  number = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return false;
    const unsigned char byte = bytes[at++];
    if (i == 8) {
      number = number << 8 | byte;
      return true;
    }
    number = number << 7 | (byte & 0x7Fu);
    if (byte < 0x80) return true;
  }
  return false;
}

// The bytes of a value by its type, for types of one byte.
constexpr auto kValueBytes = [] {
  constexpr std::uint8_t kNumbers[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};
  std::array<std::uint8_t, 128> bytes = {};
  for (std::size_t type = 0; type < bytes.size(); ++type) {
    bytes[type] = type < std::size(kNumbers)
                      ? kNumbers[type]
                      : static_cast<std::uint8_t>((type - std::size(kNumbers)) / 2);
  }
  return bytes;
}();

constexpr std::uint64_t bytes_of_value(std::uint64_t type) {
  return type < kValueBytes.size() ? kValueBytes[type] : (type - 12) / 2;
}

}  // namespace

std::optional<Pages> Pages::of_file(const std::filesystem::path& path) {
  auto file = File::open(path);
  if (!file) return std::nullopt;
  std::array<char, kHeaderBytes> header = {};
  const auto bytes = file->read_at(0, header);
  Pages pages;
  pages.file_ = std::make_shared<const File>(*std::move(file));
  if (!bytes || *bytes < kHeaderBytes) return std::nullopt;
  const Bytes begin(reinterpret_cast<const unsigned char*>(header.data()), header.size());
  if (!pages.take_header(begin, pages.file_->size_bytes())) return std::nullopt;
  return pages;
}

std::optional<Pages> Pages::of_memory(std::string_view bytes) {
  Pages pages;
  pages.memory_ = bytes;
  const Bytes begin(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  if (bytes.size() < kHeaderBytes || !pages.take_header(begin, bytes.size())) return std::nullopt;
  return pages;
}

// False for what is not read here: texts in UTF-16.
bool Pages::take_header(Bytes header, std::uint64_t bytes) {
  constexpr std::size_t kPageBytes = 16;
  constexpr std::size_t kReservedBytes = 20;
  constexpr std::size_t kEncoding = 56;
  constexpr std::uint32_t kUtf8 = 1;
  page_bytes_ = number_at(header, kPageBytes, 2);
  if (page_bytes_ == 1) page_bytes_ = 65536;
  const std::size_t reserved = header[kReservedBytes];
  const std::uint32_t encoding = number_at(header, kEncoding, 4);
  if (!std::has_single_bit(page_bytes_) || page_bytes_ < 512 || encoding > kUtf8) return false;
  usable_bytes_ = page_bytes_ - reserved;
  count_ = bytes / page_bytes_;
  return usable_bytes_ >= 480;
}

Bytes Pages::read(std::uint64_t number, std::vector<unsigned char>& buffer) const {
  if (number == 0 || number > count_) return {};
  const std::uint64_t offset = (number - 1) * page_bytes_;
  if (!file_) {
    const auto* const begin = reinterpret_cast<const unsigned char*>(memory_.data() + offset);
    return {begin, usable_bytes_};
  }
  buffer.resize(page_bytes_);
  const auto bytes =
      file_->read_at(offset, {reinterpret_cast<char*>(buffer.data()), buffer.size()});
  if (!bytes || *bytes < buffer.size()) return {};
  return Bytes(buffer).first(usable_bytes_);
}

TableRows::TableRows(Pages pages, std::uint64_t root, std::span<const StoredColumn> columns)
    : pages_(std::move(pages)), values_(columns.size()) {
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (columns[column].is_row_id) row_id_columns_.push_back(static_cast<std::uint32_t>(column));
    const std::uint32_t place = columns[column].place;
    if (place == StoredColumn::kNowhere) continue;
    if (place >= wanted_.size()) wanted_.resize(place + 1, kNotWanted);
    wanted_[place] = static_cast<std::uint32_t>(column);
  }
  enter(root);
}

// Goes down to a page. One that cannot be is left out with all below it.
void TableRows::enter(std::uint64_t page) {
  constexpr unsigned char kInterior = 0x05;
  constexpr unsigned char kLeaf = 0x0D;
  constexpr std::size_t kCellCount = 3;
  if (depth_ == kMostLevels || visited_ >= pages_.count()) {
    ++damages_;
    return;
  }
  ++visited_;
  Level& level = levels_[depth_];
  level.page = pages_.read(page, level.buffer);
  level.header = page == 1 ? kHeaderBytes : 0;
  const unsigned char type = level.page.empty() ? 0 : level.page[level.header];
  if (type != kInterior && type != kLeaf) {
    ++damages_;
    return;
  }
  level.is_leaf = type == kLeaf;
  level.cells = number_at(level.page, level.header + kCellCount, 2);
  level.next_cell = 0;
  ++depth_;
}

bool TableRows::next() {
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (!level.is_leaf) {
      descend(level);
    } else if (level.next_cell == level.cells) {
      --depth_;
    } else if (read_row(level)) {
      return true;
    } else {
      ++damages_;
    }
  }
  return false;
}

std::uint64_t TableRows::count_rest() {
  constexpr std::size_t kLeastRowBytes = 4;  // with its pointer
  std::uint64_t rows = 0;
  while (depth_ > 0) {
    Level& level = levels_[depth_ - 1];
    if (!level.is_leaf) {
      descend(level);
      continue;
    }
    const std::uint32_t left = level.cells - level.next_cell;
    if (left * kLeastRowBytes <= level.page.size()) {
      rows += left;
    } else {
      ++damages_;
    }
    --depth_;
  }
  return rows;
}

// Where the next cell of a page begins; nothing if that cannot be.
std::optional<std::size_t> TableRows::next_cell(Level& level) {
  const std::size_t pointers = level.header + (level.is_leaf ? 8 : 12);
  const std::size_t pointer = pointers + 2 * std::size_t{level.next_cell++};
  if (pointer + 2 > level.page.size()) {
    level.next_cell = level.cells;  // so are the others
    return std::nullopt;
  }
  const std::size_t cell = number_at(level.page, pointer, 2);
  if (cell >= level.page.size()) return std::nullopt;
  return cell;
}

// The children of a page are those of its cells and one more.
void TableRows::descend(Level& level) {
  constexpr std::size_t kLastChild = 8;
  if (level.next_cell > level.cells) {
    --depth_;
    return;
  }
  if (level.next_cell == level.cells) {
    ++level.next_cell;
    enter(number_at(level.page, level.header + kLastChild, 4));
    return;
  }
  const std::optional<std::size_t> cell = next_cell(level);
  if (cell && *cell + 4 <= level.page.size()) {
    enter(number_at(level.page, *cell, 4));
  } else {
    ++damages_;
  }
}

bool TableRows::read_row(Level& level) {
  const std::optional<std::size_t> cell = next_cell(level);
  Payload payload;
  return cell && find_payload(level, *cell, payload) && read_record(payload);
}

bool TableRows::find_payload(const Level& level, std::size_t cell, Payload& payload) {
  std::uint64_t row_id = 0;
  if (!read_number(level.page, cell, payload.bytes) || !read_number(level.page, cell, row_id)) {
    return false;
  }
  row_id_ = static_cast<std::int64_t>(row_id);
  const std::uint64_t usable = level.page.size();
  std::uint64_t local = payload.bytes;
  if (local > usable - 35) {
    const std::uint64_t least = (usable - 12) * 32 / 255 - 23;
    local = least + (payload.bytes - least) % (usable - 4);
    if (local > usable - 35) local = least;
    if (cell + local + 4 > usable) return false;
    payload.overflow = number_at(level.page, cell + local, 4);
  }
  if (cell + local > usable) return false;
  payload.local = level.page.subspan(cell, local);
  return true;
}

// The rest of a long record is only read if something in it is wanted.
bool TableRows::read_record(const Payload& payload) {
  bool needs_rest = false;
  if (read_values(payload.local, payload.overflow == 0, needs_rest)) return true;
  return needs_rest && gather(payload) && read_values(gathered_, true, needs_rest);
}

// PERF: this is most of the time that reading a table takes.
bool TableRows::read_values(Bytes record, bool is_whole, bool& needs_rest) {
  std::size_t at = 0;
  std::uint64_t header_bytes = 0;
  needs_rest = !is_whole;
  if (!read_number(record, at, header_bytes) || header_bytes > record.size()) return false;
  const Bytes header = record.first(header_bytes);
  std::uint64_t value_at = header_bytes;
  std::uint64_t wanted_end = header_bytes;
  const std::size_t places = wanted_.size();
  std::size_t place = 0;
  for (; place < places && at < header.size(); ++place) {
    std::uint64_t type = 0;
    if (!read_number(header, at, type)) return false;
    const std::uint64_t bytes = bytes_of_value(type);
    if (bytes > kLongestRecord) return false;
    const std::uint64_t value_end = value_at + bytes;
    if (const std::uint32_t column = wanted_[place]; column != kNotWanted) {
      values_[column] = {type, record.data() + value_at};
      wanted_end = value_end;
    }
    value_at = value_end;
  }
  if (wanted_end > record.size()) return false;
  // Columns that the table got later.
  for (; place < places; ++place) {
    if (wanted_[place] != kNotWanted) values_[wanted_[place]] = Value();
  }
  for (const std::uint32_t column : row_id_columns_) {
    if (values_[column].type == kNull) values_[column].type = kRowId;
  }
  return true;
}

bool TableRows::gather(const Payload& payload) {
  if (payload.bytes > std::min(kLongestRecord, pages_.count() * pages_.usable_bytes())) {
    return false;
  }
  gathered_.assign(payload.local.begin(), payload.local.end());
  std::uint64_t page = payload.overflow;
  while (gathered_.size() < payload.bytes) {
    if (visited_++ >= pages_.count()) return false;
    const Bytes next = pages_.read(page, overflow_buffer_);
    if (next.empty()) return false;
    page = number_at(next, 0, 4);
    const std::size_t bytes =
        std::min<std::size_t>(next.size() - 4, payload.bytes - gathered_.size());
    gathered_.insert(gathered_.end(), next.begin() + 4,
                     next.begin() + 4 + static_cast<std::ptrdiff_t>(bytes));
  }
  return true;
}

std::int64_t TableRows::rarer_integer(const Value& value) const {
  constexpr double kMost = 9.2e18;
  switch (value.type) {
    case kTwoBytes:
      return static_cast<std::int16_t>(load<std::uint16_t>(value.data));
    case kThreeBytes:
      return std::int64_t{static_cast<std::int8_t>(value.data[0])} << 16 |
             load<std::uint16_t>(value.data + 1);
    case kReal: {
      const auto real = std::bit_cast<double>(load<std::uint64_t>(value.data));
      return std::abs(real) < kMost ? static_cast<std::int64_t>(real) : 0;
    }
    case kRowId:
      return row_id_;
    default:
      break;
  }
  if (value.type < kFirstText) return 0;
  const std::string_view text(reinterpret_cast<const char*>(value.data),
                              (value.type - kFirstText) / 2);
  return parse_whole_number(text).value_or(0);
}

double TableRows::real(std::size_t column) const {
  const Value& value = values_[column];
  if (value.type != kReal) return static_cast<double>(integer(column));
  const auto real = std::bit_cast<double>(load<std::uint64_t>(value.data));
  return std::isfinite(real) ? real : 0;
}

}  // namespace strobe::sqlite
