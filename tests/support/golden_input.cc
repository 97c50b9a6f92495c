#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>

#include "tests/support/golden_page.h"

// The inputs of a page as files: packed, cut, or grown from a few words to hundreds of megabytes.
namespace strobe::test {
namespace {

namespace fs = std::filesystem;

// A run of equal text, kept short until it is written.
struct Piece {
  std::string text;
  std::uint64_t times = 1;
};

std::optional<std::uint64_t> number_of(std::string_view text, int base = 10) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// `repeat "TEXT" N` or `bytes 1f 8b`.
std::optional<Piece> piece_of(std::string_view macro) {
  const std::vector<std::string> words = command_words(macro);
  if (words.size() == 3 && words[0] == "repeat") {
    const auto times = number_of(words[2]);
    if (!times) return std::nullopt;
    return Piece{words[1], *times};
  }
  if (words.size() > 1 && words[0] == "bytes") {
    Piece piece;
    for (std::size_t i = 1; i < words.size(); ++i) {
      const auto byte = number_of(words[i], 16);
      if (!byte || *byte > 0xff) return std::nullopt;
      piece.text += static_cast<char>(*byte);
    }
    return piece;
  }
  return std::nullopt;
}

// Cuts the text at its @...@ macros.
std::string expand(std::string_view text, std::vector<Piece>& pieces) {
  while (true) {
    const std::size_t open = std::min(text.find('@'), text.size());
    pieces.push_back({std::string(text.substr(0, open)), 1});
    if (open == text.size()) return {};
    const std::size_t close = text.find('@', open + 1);
    if (close == std::string_view::npos) return "an @ without its partner";
    const std::string_view macro = text.substr(open + 1, close - open - 1);
    const auto piece = piece_of(macro);
    if (!piece) return "unknown macro: " + std::string(macro);
    pieces.push_back(*piece);
    text.remove_prefix(close + 1);
  }
}

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

class PlainSink : public Sink {
 public:
  explicit PlainSink(const fs::path& path) : file_(path, std::ios::binary) {}
  void write(std::string_view bytes) override {
    file_.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

 private:
  std::ofstream file_;
};

class GzipSink : public Sink {
 public:
  explicit GzipSink(const fs::path& path) : file_(gzopen(path.c_str(), "wb1")) {}
  ~GzipSink() override { gzclose(file_); }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  void write(std::string_view bytes) override {
    gzwrite(file_, bytes.data(), static_cast<unsigned>(bytes.size()));
  }

 private:
  gzFile file_;
};

class ZstdSink : public Sink {
 public:
  explicit ZstdSink(fs::path path) : path_(std::move(path)) {}
  ~ZstdSink() override {
    std::string packed(ZSTD_compressBound(text_.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text_.data(), text_.size(), 3));
    PlainSink(path_).write(packed);
  }
  ZstdSink(const ZstdSink&) = delete;
  ZstdSink& operator=(const ZstdSink&) = delete;
  void write(std::string_view bytes) override { text_ += bytes; }

 private:
  fs::path path_;
  std::string text_;
};

void write_piece(const Piece& piece, Sink& sink) {
  constexpr std::size_t kBlockBytes = 1 << 20;
  if (piece.text.empty()) return;
  const std::uint64_t per_block = std::min<std::uint64_t>(
      piece.times, std::max<std::uint64_t>(1, kBlockBytes / piece.text.size()));
  std::string block;
  for (std::uint64_t i = 0; i < per_block; ++i) block += piece.text;
  for (std::uint64_t left = piece.times; left > 0;) {
    const std::uint64_t now = std::min(left, per_block);
    sink.write(std::string_view(block).substr(0, now * piece.text.size()));
    left -= now;
  }
}

// A recording that is too large for a page.
std::string copy_from_repository(const std::string& name, const fs::path& path) {
  const fs::path source = fs::path(STROBE_SOURCE_DIR) / name;
  if (!fs::is_regular_file(source)) return "no such file: " + name;
  fs::copy_file(source, path);
  return {};
}

}  // namespace

std::string write_input(const InputFile& input, const fs::path& folder) {
  const fs::path path = folder / input.name;
  if (input.name.ends_with('/')) {
    fs::create_directories(path);
    return {};
  }
  fs::create_directories(path.parent_path());
  if (input.words.size() == 2 && input.words[0] == "from") {
    return copy_from_repository(input.words[1], path);
  }
  std::string content = input.content;
  bool expands = false;
  std::optional<std::uint64_t> cut_bytes;
  std::string packing;
  for (std::size_t i = 0; i < input.words.size(); ++i) {
    const std::string& word = input.words[i];
    if (word == "gzip" || word == "zstd") {
      packing = word;
    } else if (word == "expand") {
      expands = true;
    } else if (word == "no-newline") {
      if (content.ends_with('\n')) content.pop_back();
    } else if (word == "cut" && i + 1 < input.words.size()) {
      cut_bytes = number_of(input.words[++i]);
    } else {
      return "unknown word after an input's name: " + word;
    }
  }
  std::vector<Piece> pieces;
  if (!expands) {
    pieces.push_back({content, 1});
  } else if (const std::string problem = expand(content, pieces); !problem.empty()) {
    return problem;
  }
  {
    std::unique_ptr<Sink> sink;
    if (packing == "gzip") {
      sink = std::make_unique<GzipSink>(path);
    } else if (packing == "zstd") {
      sink = std::make_unique<ZstdSink>(path);
    } else {
      sink = std::make_unique<PlainSink>(path);
    }
    for (const Piece& piece : pieces) write_piece(piece, *sink);
  }
  if (!cut_bytes) return {};
  if (*cut_bytes >= fs::file_size(path)) {
    return "nothing to cut: it has only " + std::to_string(fs::file_size(path)) + " bytes";
  }
  fs::resize_file(path, *cut_bytes);
  return {};
}

}  // namespace strobe::test
