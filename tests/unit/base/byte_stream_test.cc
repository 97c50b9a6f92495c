#include "strobe/base/byte_stream.h"

#include <gmock/gmock.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "strobe/base/gzip_pack.h"
#include "tests/support/temporary_folder.h"

namespace strobe {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

struct Unpacked {
  std::string text;
  std::optional<Error> error;
  std::uint64_t consumed_bytes = 0;
};

Unpacked read_all(ByteStream& stream, std::size_t buffer_bytes = 64 * 1024) {
  Unpacked unpacked;
  std::string buffer(buffer_bytes, '\0');
  while (true) {
    const Result<std::size_t> bytes = stream.read(buffer);
    if (!bytes) {
      unpacked.error = bytes.error();
      EXPECT_FALSE(stream.read(buffer).has_value()) << "a failure repeats itself";
      break;
    }
    if (*bytes == 0) {
      EXPECT_EQ(*stream.read(buffer), 0u) << "the end repeats itself";
      break;
    }
    unpacked.text.append(buffer, 0, *bytes);
  }
  unpacked.consumed_bytes = stream.consumed_bytes();
  return unpacked;
}

Unpacked read_all(std::string_view packed, std::size_t buffer_bytes = 64 * 1024) {
  auto stream = open_stream(packed);
  EXPECT_TRUE(stream.has_value());
  return read_all(**stream, buffer_bytes);
}

struct GzipHeader {
  std::string extra;
  std::string name;
  std::string comment;
  bool has_checksum = false;
};

std::string gzip(std::string_view text, int level = 6, GzipHeader header = {}) {
  z_stream state{};
  EXPECT_EQ(deflateInit2(&state, level, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
  gz_header fields{};
  if (!header.extra.empty()) {
    fields.extra = reinterpret_cast<Bytef*>(header.extra.data());
    fields.extra_len = static_cast<uInt>(header.extra.size());
  }
  if (!header.name.empty()) fields.name = reinterpret_cast<Bytef*>(header.name.data());
  if (!header.comment.empty()) fields.comment = reinterpret_cast<Bytef*>(header.comment.data());
  fields.hcrc = header.has_checksum ? 1 : 0;
  EXPECT_EQ(deflateSetHeader(&state, &fields), Z_OK);
  std::string packed(deflateBound(&state, text.size()) + 100 + header.extra.size() +
                         header.name.size() + header.comment.size(),
                     '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

std::string zstd(std::string_view text, int level = 3) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress2(context, packed.data(), packed.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return packed;
}

// Text like a trace's: repetitive, with numbers that are not.
std::string trace_like_text(std::size_t bytes, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) {
    text += R"({"ph":"X","cat":"kernel","name":"gemm_)" + std::to_string(random() % 50) +
            R"(","ts":)" + std::to_string(random()) + "},\n";
  }
  text.resize(bytes);
  return text;
}

TEST(ByteStreamTest, plain_text_is_handed_through) {
  const std::string text = trace_like_text(1'000'000);
  const Unpacked unpacked = read_all(text);
  EXPECT_EQ(unpacked.text, text);
  EXPECT_FALSE(unpacked.error);
  EXPECT_EQ(unpacked.consumed_bytes, text.size());
}

TEST(ByteStreamTest, compression_is_told_by_content) {
  EXPECT_EQ(sniff_compression(gzip("{}")), Compression::kGzip);
  EXPECT_EQ(sniff_compression(zstd("{}")), Compression::kZstd);
  EXPECT_EQ(sniff_compression("\x53\x2A\x4D\x18"s), Compression::kZstd);
  EXPECT_EQ(sniff_compression("{\"traceEvents\""s), Compression::kNone);
  EXPECT_EQ(sniff_compression("\x1F\x8B"s), Compression::kNone);
  EXPECT_EQ(sniff_compression({}), Compression::kNone);
}

TEST(ByteStreamTest, an_archive_of_another_kind_is_named_with_its_unpacker) {
  for (const char level : {'1', '5', '9'}) {
    const auto bzip2 = open_stream(std::string("BZh") + level + "1AY&SY and more");
    ASSERT_FALSE(bzip2.has_value()) << level;
    EXPECT_EQ(bzip2.error().what, "this is a bzip2 file");
  }
  EXPECT_FALSE(foreign_archive("BZh"));
  EXPECT_FALSE(foreign_archive(R"({"a": 1})"));
  const auto stream = open_stream("PK\x03\x04 whatever follows");
  ASSERT_FALSE(stream.has_value());
  EXPECT_EQ(stream.error().what, "this is a zip archive");
  EXPECT_THAT(stream.error().hint, HasSubstr("unzip"));
}

TEST(ZstdStreamTest, frames_and_skippable_frames_make_one_text) {
  const std::string first = trace_like_text(700'000, 1);
  const std::string second = trace_like_text(3, 2);
  const std::string skippable = "\x50\x2A\x4D\x18\x05\x00\x00\x00hello"s;
  const std::string packed = skippable + zstd(first) + skippable + zstd("") + zstd(second, 19);
  for (const std::size_t buffer_bytes : {1u, 1000u, 1u << 20}) {
    const Unpacked unpacked = read_all(packed, buffer_bytes);
    EXPECT_EQ(unpacked.text, first + second);
    EXPECT_FALSE(unpacked.error);
    EXPECT_EQ(unpacked.consumed_bytes, packed.size());
  }
}

TEST(ZstdStreamTest, a_truncated_text_is_handed_out_up_to_the_cut) {
  const std::string text = trace_like_text(2'000'000);
  const std::string packed = zstd(text);
  const Unpacked unpacked = read_all(std::string_view(packed).substr(0, packed.size() / 2));
  ASSERT_TRUE(unpacked.error);
  EXPECT_EQ(unpacked.error->code, ErrorCode::kMalformed);
  EXPECT_EQ(unpacked.error->where, "packed byte " + std::to_string(packed.size() / 2));
  EXPECT_GT(unpacked.text.size(), text.size() / 3);
  EXPECT_TRUE(text.starts_with(unpacked.text));
}

TEST(ZstdStreamTest, a_damaged_block_costs_nothing_that_came_before_it) {
  const std::string text = trace_like_text(2'000'000);
  std::string packed = zstd(text);
  std::fill_n(packed.begin() + static_cast<std::ptrdiff_t>(packed.size()) / 2, 64, '\xFF');
  const Unpacked unpacked = read_all(packed, 1 << 20);
  ASSERT_TRUE(unpacked.error);
  EXPECT_THAT(unpacked.error->what, HasSubstr("zstd data is damaged"));
  constexpr std::size_t kBlockBytes = 128 * 1024;
  EXPECT_GT(unpacked.text.size(), text.size() / 2 - 2 * kBlockBytes);
}

TEST(ZstdStreamTest, bytes_behind_the_last_frame_are_ignored) {
  const Unpacked unpacked = read_all(zstd("text") + std::string(600'000, '\0'));
  EXPECT_EQ(unpacked.text, "text");
  EXPECT_FALSE(unpacked.error);
}

TEST(ZstdStreamTest, a_frame_that_asks_for_a_window_beyond_the_limit_is_refused) {
  // Magic, descriptor 0 (a window byte follows), window exponent 22: 2^32 bytes.
  const Unpacked unpacked = read_all("\x28\xB5\x2F\xFD\x00\xB0\x01\x00\x00"s);
  ASSERT_TRUE(unpacked.error);
  EXPECT_THAT(unpacked.error->what, HasSubstr("too much memory"));
}

// The gzip tests run once for each engine of the build.
using OpenGzip = std::function<std::unique_ptr<ByteStream>(std::string_view)>;
struct GzipEngine {
  std::string name;
  OpenGzip open;
};

std::vector<GzipEngine> gzip_engines() {
  std::vector<GzipEngine> engines = {{"zlib", gzip_stream_by_zlib}};
#if STROBE_HAVE_ISAL
  engines.push_back({"isal", gzip_stream_by_isal});
#endif
  return engines;
}

class GzipStreamTest : public ::testing::TestWithParam<GzipEngine> {
 protected:
  Unpacked unpack(std::string_view packed, std::size_t buffer_bytes = 64 * 1024) const {
    const auto stream = GetParam().open(packed);
    return read_all(*stream, buffer_bytes);
  }
};

INSTANTIATE_TEST_SUITE_P(Engines, GzipStreamTest, ::testing::ValuesIn(gzip_engines()),
                         [](const auto& engine) { return engine.param.name; });

TEST_P(GzipStreamTest, the_buffer_size_changes_nothing) {
  const std::string text = trace_like_text(300'000);
  const std::string packed = gzip(text);
  for (const std::size_t buffer_bytes : {1u, 7u, 4096u, 32768u, 1u << 20}) {
    const Unpacked unpacked = unpack(packed, buffer_bytes);
    EXPECT_EQ(unpacked.text, text) << buffer_bytes;
    EXPECT_FALSE(unpacked.error);
    EXPECT_EQ(unpacked.consumed_bytes, packed.size());
  }
}

TEST_P(GzipStreamTest, members_end_to_end_make_one_text) {
  std::string text;
  std::string packed;
  for (unsigned member = 0; member < 200; ++member) {
    const std::string part = member % 3 == 0 ? "" : trace_like_text(member * 31, member);
    text += part;
    packed += gzip(part, static_cast<int>(member % 10));
  }
  for (const std::size_t buffer_bytes : {1u, 1000u, 1u << 20}) {
    const Unpacked unpacked = unpack(packed, buffer_bytes);
    EXPECT_EQ(unpacked.text, text);
    EXPECT_FALSE(unpacked.error);
    EXPECT_EQ(unpacked.consumed_bytes, packed.size());
  }
}

TEST_P(GzipStreamTest, every_field_a_header_may_have_is_skipped) {
  const GzipHeader header{std::string(500, '\1'), "trace.json", std::string(5000, 'c'), true};
  const Unpacked unpacked = unpack(gzip("text", 6, header));
  EXPECT_EQ(unpacked.text, "text");
  EXPECT_FALSE(unpacked.error) << unpacked.error->what;
}

TEST_P(GzipStreamTest, bytes_behind_the_last_member_are_ignored) {
  EXPECT_EQ(unpack(gzip("text") + std::string(300'000, '\0')).text, "text");
  const Unpacked unpacked = unpack(gzip("text") + "<html>");
  EXPECT_EQ(unpacked.text, "text");
  EXPECT_FALSE(unpacked.error);
}

TEST_P(GzipStreamTest, a_truncated_text_is_handed_out_up_to_the_cut) {
  const std::string text = trace_like_text(1'000'000);
  const std::string packed = gzip(text);
  for (const std::size_t cut : {packed.size() / 3, packed.size() / 2, packed.size() - 9}) {
    const Unpacked unpacked = unpack(std::string_view(packed).substr(0, cut));
    ASSERT_TRUE(unpacked.error) << cut;
    EXPECT_EQ(unpacked.error->what, "the compressed data ends too early");
    EXPECT_EQ(unpacked.error->where, "packed byte " + std::to_string(cut));
    EXPECT_TRUE(text.starts_with(unpacked.text));
    const double kept =
        static_cast<double>(unpacked.text.size()) / static_cast<double>(text.size());
    const double given = static_cast<double>(cut) / static_cast<double>(packed.size());
    EXPECT_NEAR(kept, given, 0.01);
  }
}

TEST_P(GzipStreamTest, every_cut_of_a_small_file_is_a_clean_failure) {
  const std::string text = trace_like_text(300);
  const std::string packed = gzip(text, 6, {"xy", "name", "comment", true});
  for (std::size_t cut = 2; cut < packed.size(); ++cut) {
    const Unpacked unpacked = unpack(std::string_view(packed).substr(0, cut));
    EXPECT_TRUE(unpacked.error) << cut;
    EXPECT_TRUE(text.starts_with(unpacked.text)) << cut;
  }
}

TEST_P(GzipStreamTest, a_wrong_checksum_is_told_after_the_whole_text) {
  const std::string text = trace_like_text(100'000);
  std::string packed = gzip(text);
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  const Unpacked unpacked = unpack(packed);
  EXPECT_EQ(unpacked.text, text);
  ASSERT_TRUE(unpacked.error);
  EXPECT_EQ(unpacked.error->what, "the checksum of the gzip data is wrong");
}

TEST_P(GzipStreamTest, a_wrong_length_is_told_after_the_whole_text) {
  std::string packed = gzip("some text");
  packed.back() = '\1';
  const Unpacked unpacked = unpack(packed);
  EXPECT_EQ(unpacked.text, "some text");
  ASSERT_TRUE(unpacked.error);
  EXPECT_EQ(unpacked.error->what, "the checksum of the gzip data is wrong");
}

TEST_P(GzipStreamTest, a_damaged_block_costs_nothing_that_came_before_it) {
  const std::string text = trace_like_text(1'000'000);
  std::string packed = gzip(text.substr(0, 500'000)) + gzip(text.substr(500'000));
  const std::size_t second = gzip(text.substr(0, 500'000)).size();
  packed[second + 10] = '\x07';  // a block type that does not exist
  const Unpacked unpacked = unpack(packed, 1 << 20);
  EXPECT_EQ(unpacked.text, text.substr(0, 500'000));
  ASSERT_TRUE(unpacked.error);
  EXPECT_EQ(unpacked.error->what, "the gzip data is damaged");
}

TEST_P(GzipStreamTest, a_bomb_is_unpacked_with_a_small_buffer) {
  const std::string packed = gzip(std::string(50'000'000, ' '), 9);
  const auto stream = GetParam().open(packed);
  std::string buffer(64 * 1024, '\0');
  std::size_t total = 0;
  while (true) {
    const auto bytes = stream->read(buffer);
    ASSERT_TRUE(bytes.has_value());
    if (*bytes == 0) break;
    total += *bytes;
  }
  EXPECT_EQ(total, 50'000'000u);
}

#if STROBE_HAVE_ISAL
TEST(GzipEnginesTest, both_give_the_same_text_for_random_data) {
  std::mt19937 random(7);
  for (int round = 0; round < 100; ++round) {
    std::string text(random() % 200'000, '\0');
    const unsigned alphabet = 1 + random() % 256;
    for (char& byte : text) byte = static_cast<char>(random() % alphabet);
    const std::string packed = gzip(text, static_cast<int>(random() % 10));
    const std::size_t buffer_bytes = 1 + random() % 100'000;
    const auto zlib = gzip_stream_by_zlib(packed);
    const auto isal = gzip_stream_by_isal(packed);
    ASSERT_EQ(read_all(*zlib, buffer_bytes).text, text);
    ASSERT_EQ(read_all(*isal, buffer_bytes).text, text);
  }
}

TEST(GzipEnginesTest, both_refuse_the_same_damaged_data) {
  std::mt19937 random(8);
  const std::string text = trace_like_text(20'000);
  const std::string good = gzip(text);
  for (int round = 0; round < 500; ++round) {
    std::string packed = good;
    packed[10 + random() % (packed.size() - 10)] ^= static_cast<char>(1u << (random() % 8));
    const auto zlib = gzip_stream_by_zlib(packed);
    const auto isal = gzip_stream_by_isal(packed);
    ASSERT_TRUE(read_all(*zlib).error);
    ASSERT_TRUE(read_all(*isal).error);
  }
}

// One engine wants to give back more bytes than the last call gave to it.
TEST(GzipEnginesTest, both_refuse_damage_just_before_the_end) {
  const std::string packed = testing::bytes_of(
      STROBE_SOURCE_DIR "/tests/fuzz/corpus/byte_stream_fuzz/gzip_gives_bytes_back");
  ASSERT_FALSE(packed.empty());
  for (const std::size_t buffer_bytes : {1u, 7u, 65536u}) {
    EXPECT_TRUE(read_all(*gzip_stream_by_zlib(packed), buffer_bytes).error) << buffer_bytes;
    EXPECT_TRUE(read_all(*gzip_stream_by_isal(packed), buffer_bytes).error) << buffer_bytes;
  }
}
#endif

TEST(FileTextTest, plain_and_packed_files_give_the_same_text) {
  const test::LogFolder folder;
  const std::string text(5 << 20, 'x');
  const auto plain = read_text(folder.write("a.json", text));
  const auto packed = read_text(folder.write("a.json.gz", pack_gzip(text)));
  ASSERT_TRUE(plain && packed);
  EXPECT_EQ(*plain, text);
  EXPECT_EQ(*packed, text);
}

TEST(FileTextTest, a_bomb_is_given_up_at_the_limit) {
  const test::LogFolder folder;
  const std::string packed = pack_gzip(std::string(16 << 20, ' '));
  const auto text = read_text(folder.write("bomb.json.gz", packed), 1 << 20);
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().code, ErrorCode::kMalformed);
  EXPECT_EQ(text.error().what, "its text is longer than 1.00 MiB, the most that is read");
}

TEST(FileTextTest, a_damaged_file_gives_what_stands_before_the_damage) {
  const test::LogFolder folder;
  std::string numbers;
  for (int i = 0; i < 100'000; ++i) numbers += std::to_string(i * 7919 % 100'003) + ",";
  std::string packed = pack_gzip(numbers);
  packed.resize(packed.size() / 2);
  const auto text = read_text(folder.write("cut.json.gz", packed));
  ASSERT_TRUE(text);
  EXPECT_GT(text->size(), numbers.size() / 4);
  EXPECT_TRUE(numbers.starts_with(*text));
}

TEST(UnpackedTextTest, whole_texts_come_back_and_no_others) {
  const std::string text(100'000, 'x');
  const std::string packed = pack_gzip(text);
  EXPECT_EQ(unpacked_text(packed, text.size()), text);
  EXPECT_EQ(unpacked_text(packed, text.size() / 2), std::nullopt);
  EXPECT_EQ(unpacked_text(std::string_view(packed).substr(0, packed.size() - 9), text.size()),
            std::nullopt);
}

TEST(FileTextTest, a_missing_file_is_an_error) { EXPECT_FALSE(read_text("/no/such/file")); }

}  // namespace
}  // namespace strobe
