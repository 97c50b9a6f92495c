#include "strobe/wire/run_file_chunks.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "strobe/wire/chunk_checksum.h"
#include "strobe/wire/varint.h"

namespace strobe::wire {
namespace {

constexpr std::uint64_t padded(std::uint64_t bytes) {
  return (bytes + kChunkAlignment - 1) / kChunkAlignment * kChunkAlignment;
}

// Most numbers have one byte; of the others, eight at a time are looked at without a branch for
// each.
inline const std::uint8_t* get_number(const std::uint8_t* at, const std::uint8_t* end,
                                      std::uint64_t& value) noexcept {
  constexpr std::uint64_t kHighBits = 0x8080808080808080;
  std::uint64_t word = 0;
  if (end - at < static_cast<std::ptrdiff_t>(sizeof word)) return get_varint(at, end, value);
  std::memcpy(&word, at, sizeof word);
  if ((word & 0x80) == 0) {
    value = word & 0x7f;
    return at + 1;
  }
  const std::uint64_t ends = ~word & kHighBits;
  if (ends == 0) return get_varint(at, end, value);
  const int bits = std::countr_zero(ends) + 1;  // 8 per byte of the number
  word &= ~std::uint64_t{0} >> (64 - bits) & ~kHighBits;
  word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
  word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
  value = (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
  return at + bits / 8;
}

}  // namespace

bool begins_like_run_file(std::string_view first_bytes) noexcept {
  return first_bytes.starts_with(std::string_view(kChunkMagic, sizeof kChunkMagic));
}

std::optional<Chunk> ChunkCursor::chunk_at(std::uint64_t offset) noexcept {
  Chunk chunk;
  chunk.offset = offset;
  if (file_.size() - offset < sizeof chunk.header) return std::nullopt;
  std::memcpy(&chunk.header, file_.data() + offset, sizeof chunk.header);
  if (std::memcmp(chunk.header.magic, kChunkMagic, sizeof kChunkMagic) != 0) return std::nullopt;
  const std::uint64_t room = file_.size() - offset - sizeof chunk.header;
  if (chunk.header.payload_bytes > std::min<std::uint64_t>(room, kMostChunkBytes)) {
    return std::nullopt;
  }
  chunk.payload = file_.subspan(offset + sizeof chunk.header, chunk.header.payload_bytes);
  if (chunk_checksum(chunk.header, chunk.payload) != chunk.header.checksum) {
    hashed_in_vain_ += chunk.payload.size();
    return std::nullopt;
  }
  return chunk;
}

// In a file made for it, each magic may claim all bytes that follow: the search must end.
bool ChunkCursor::is_hopeless() const noexcept {
  constexpr std::uint64_t kAlways = 64u << 20;
  return hashed_in_vain_ > 4 * file_.size() + kAlways;
}

std::optional<Chunk> ChunkCursor::next() {
  const std::uint64_t first = offset_;
  for (std::uint64_t at = first; at < file_.size() && !is_hopeless();) {
    if (std::optional<Chunk> chunk = chunk_at(at)) {
      if (at > first) damage_.push_back({first, at - first, false});
      offset_ = std::min<std::uint64_t>(
          file_.size(), at + sizeof(ChunkHeader) + padded(chunk->header.payload_bytes));
      return chunk;
    }
    const auto rest = file_.subspan(std::min<std::uint64_t>(at + 1, file_.size()));
    const auto found = std::search(
        rest.begin(), rest.end(), std::begin(kChunkMagic), std::end(kChunkMagic),
        [](std::uint8_t byte, char magic) { return byte == static_cast<std::uint8_t>(magic); });
    at = static_cast<std::uint64_t>(found - file_.begin());
  }
  if (first < file_.size()) damage_.push_back({first, file_.size() - first, true});
  offset_ = file_.size();
  return std::nullopt;
}

bool has_room_for_rows(const Chunk& chunk) noexcept {
  const std::size_t columns = std::max<std::size_t>(1, codings_of(chunk.header.kind).size());
  return chunk.header.rows <= chunk.payload.size() / columns;
}

RowBlocks::RowBlocks(const Chunk& chunk) noexcept : rows_left_(chunk.header.rows) {
  const std::span<const Coding> codings = codings_of(chunk.header.kind);
  is_damaged_ = chunk.header.columns < codings.size() || !has_room_for_rows(chunk);
  std::span<const std::uint8_t> rest = chunk.payload;
  for (std::size_t i = 0; i < codings.size() && !is_damaged_; ++i) {
    std::uint32_t bytes = 0;
    is_damaged_ = rest.size() < sizeof bytes;
    if (is_damaged_) break;
    std::memcpy(&bytes, rest.data(), sizeof bytes);
    rest = rest.subspan(sizeof bytes);
    is_damaged_ = bytes > rest.size();
    if (is_damaged_) break;
    columns_.push_back({codings[i], 0, rest.first(bytes)});
    rest = rest.subspan(bytes);
  }
}

// The bytes of a column while some of its numbers are read.
class RowBlocks::Reading {
 public:
  explicit Reading(Column& column) noexcept
      : column_(column),
        is_delta_(column.coding == Coding::kDelta),
        before_(column.before),
        at_(column.left.data()),
        end_(at_ + column.left.size()) {}
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  ~Reading() {
    column_.before = before_;
    column_.left = {at_, static_cast<std::size_t>(end_ - at_)};
  }

  // False if the column ends or has something else than a number there.
  bool get(std::uint64_t& value) noexcept {
    const std::uint8_t* next = get_number(at_, end_, value);
    if (next == nullptr) return false;
    at_ = next;
    if (is_delta_) value = before_ += static_cast<std::uint64_t>(unzigzag(value));
    return true;
  }

 private:
  Column& column_;
  const bool is_delta_;
  std::uint64_t before_;
  const std::uint8_t* at_;
  const std::uint8_t* const end_;
};

// PERF: where a number begins is known only when the one before is read. A processor works on the
// numbers of several columns at once.
template <std::size_t... Places>
bool RowBlocks::decode(std::size_t first, std::size_t rows, Columns& columns,
                       std::index_sequence<Places...>) noexcept {
  Reading readings[] = {Reading(columns_[first + Places])...};
  std::uint64_t* const values[] = {columns[first + Places].data()...};
  for (std::size_t row = 0; row < rows; ++row) {
    if (!(readings[Places].get(values[Places][row]) && ...)) return false;
  }
  return true;
}

std::size_t RowBlocks::next(Columns& columns, std::size_t most) {
  if (is_damaged_) return 0;
  const std::size_t rows = std::min(rows_left_, most);
  rows_left_ -= rows;
  columns.resize(std::max(columns.size(), columns_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i) columns[i].resize(rows);
  std::size_t column = 0;
  for (; column + 4 <= columns_.size() && !is_damaged_; column += 4) {
    is_damaged_ = !decode(column, rows, columns, std::make_index_sequence<4>());
  }
  for (; column + 2 <= columns_.size() && !is_damaged_; column += 2) {
    is_damaged_ = !decode(column, rows, columns, std::make_index_sequence<2>());
  }
  if (column < columns_.size() && !is_damaged_) {
    is_damaged_ = !decode(column, rows, columns, std::make_index_sequence<1>());
  }
  const auto has_more = [](const Column& one) { return !one.left.empty(); };
  if (rows_left_ == 0 && std::ranges::any_of(columns_, has_more)) is_damaged_ = true;
  return is_damaged_ ? 0 : rows;
}

bool decode_columns(const Chunk& chunk, Columns& columns) {
  RowBlocks blocks(chunk);
  blocks.next(columns, chunk.header.rows);
  return !blocks.is_damaged();
}

std::vector<std::string_view> decode_texts(const Chunk& chunk) {
  std::vector<std::string_view> texts;
  const std::uint8_t* at = chunk.payload.data();
  const std::uint8_t* end = at + chunk.payload.size();
  while (at != end) {
    std::uint64_t bytes = 0;
    at = get_varint(at, end, bytes);
    if (at == nullptr || bytes > static_cast<std::uint64_t>(end - at)) break;
    texts.emplace_back(reinterpret_cast<const char*>(at), bytes);
    at += bytes;
  }
  return texts;
}

}  // namespace strobe::wire
