// How fast bytes are read from disk and arguments stored. STROBE_PERF_TRACE names a gzip-compressed
// trace; without it the text is generated.
#include <benchmark/benchmark.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "strobe/base/byte_stream.h"
#include "strobe/trace/args_store.h"

namespace strobe {
namespace {

constexpr std::size_t kBufferBytes = 1 << 20;

std::string made_up_text() {
  std::mt19937 random(1);
  std::string text;
  while (text.size() < 64'000'000) {
    text += R"({"ph": "X", "cat": "kernel", "name": "gemm_)" + std::to_string(random() % 500) +
            R"(", "pid": 0, "tid": 7, "ts": )" + std::to_string(random()) + R"(, "dur": )" +
            std::to_string(random() % 5000) + R"(, "args": {"correlation": )" +
            std::to_string(random()) + "}},\n";
  }
  return text;
}

std::string unpack(std::string_view packed) {
  auto stream = open_stream(packed);
  std::string text;
  std::string buffer(kBufferBytes, '\0');
  while (const std::size_t bytes = *(*stream)->read(buffer)) text.append(buffer, 0, bytes);
  return text;
}

std::string gzip(std::string_view text) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&state, text.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  deflate(&state, Z_FINISH);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

struct Sample {
  Sample() {
    if (const char* path = std::getenv("STROBE_PERF_TRACE")) {
      std::ifstream file(path, std::ios::binary);
      gzipped.assign(std::istreambuf_iterator<char>(file), {});
      text = unpack(gzipped);
    } else {
      text = made_up_text();
      gzipped = gzip(text);
    }
    zstded.resize(ZSTD_compressBound(text.size()));
    zstded.resize(ZSTD_compress(zstded.data(), zstded.size(), text.data(), text.size(), 3));
    // Arguments as a scanner finds them: from "args": to the closing brace.
    for (std::size_t at = 0; (at = text.find("\"args\":", at)) != std::string::npos;) {
      const std::size_t begin = text.find('{', at);
      const std::size_t end = text.find('}', at);
      if (begin == std::string::npos || end == std::string::npos) break;
      args.push_back(std::string_view(text).substr(begin, end + 1 - begin));
      at = end;
    }
  }
  std::string text;
  std::string gzipped;
  std::string zstded;
  std::vector<std::string_view> args;
};

const Sample& sample() {
  static const Sample kSample;
  return kSample;
}

using Open = std::function<std::unique_ptr<ByteStream>(std::string_view)>;

void run_unpacking(benchmark::State& state, const std::string& packed, const Open& open) {
  std::string buffer(kBufferBytes, '\0');
  std::size_t bytes = 0;
  for (auto _ : state) {
    const auto stream = open(packed);
    while (const std::size_t some = *stream->read(buffer)) bytes += some;
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

std::unique_ptr<ByteStream> opened(std::string_view packed) { return open_stream(packed).value(); }

void unpack_gzip(benchmark::State& state) { run_unpacking(state, sample().gzipped, opened); }
void unpack_gzip_by_zlib(benchmark::State& state) {
  run_unpacking(state, sample().gzipped, gzip_stream_by_zlib);
}
void unpack_zstd(benchmark::State& state) { run_unpacking(state, sample().zstded, opened); }

void store_args(benchmark::State& state) {
  constexpr std::size_t kTextsPerChunk = 4000;
  const auto& args = sample().args;
  std::size_t bytes = 0;
  std::size_t held = 0;
  ArgsWriter writer;
  for (auto _ : state) {
    ArgsStore store;
    for (std::size_t row = 0; row < args.size(); ++row) {
      benchmark::DoNotOptimize(writer.add(args[row]));
      bytes += args[row].size();
      if (row % kTextsPerChunk == 0) store.append(writer.finish());
    }
    store.append(writer.finish());
    held = store.bytes();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(static_cast<std::int64_t>(args.size()) *
                          static_cast<std::int64_t>(state.iterations()));
  state.counters["held/text"] =
      static_cast<double>(held) / static_cast<double>(sample().text.size());
}

void read_args_back(benchmark::State& state) {
  ArgsWriter writer;
  for (const std::string_view text : sample().args) writer.add(text);
  const ArgsStore store = writer.finish();
  std::size_t bytes = 0;
  for (auto _ : state) {
    ArgsReader reader(store);
    for (std::size_t row = 0; row < store.size(); ++row) bytes += reader.text(ArgsId(row)).size();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(bytes));
}

BENCHMARK(unpack_gzip)->Unit(benchmark::kMillisecond);
BENCHMARK(unpack_gzip_by_zlib)->Unit(benchmark::kMillisecond);
BENCHMARK(unpack_zstd)->Unit(benchmark::kMillisecond);
BENCHMARK(store_args)->Unit(benchmark::kMillisecond);
BENCHMARK(read_args_back)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace strobe
