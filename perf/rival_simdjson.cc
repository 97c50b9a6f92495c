// The strongest honest rival: simdjson On-Demand over blocks of 1 MiB that are cut at event
// boundaries (a line that begins with two blanks and a brace, as PyTorch's profiler lays events
// out), which is 1.4 times as fast as one document. A file in another layout is one document.
//
//   rival_simdjson TRACE.json
#include <fcntl.h>
#include <simdjson.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "perf/contest.h"

namespace strobe::perf {
namespace {

using simdjson::ondemand::json_type;
using simdjson::ondemand::object;
using simdjson::ondemand::value;

constexpr std::size_t kBlockBytes = 1 << 20;
constexpr std::string_view kArrayKey = "\"traceEvents\": [";
constexpr std::string_view kEventBegin = "\n  {";

template <std::size_t N>
bool is_key(simdjson::ondemand::raw_json_string key, const char (&literal)[N]) {
  return std::memcmp(key.raw(), literal, N - 1) == 0 && key.raw()[N - 1] == '"';
}

std::string_view trimmed(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\n')) token.remove_suffix(1);
  return token;
}

class Loader {
 public:
  // `text` is an array of events of `size` bytes, with SIMDJSON_PADDING more bytes below
  // `capacity`.
  void add_array(const char* text, std::size_t size, std::size_t capacity) {
    simdjson::ondemand::document document;
    fail_on(parser_.iterate(text, size, capacity).get(document));
    simdjson::ondemand::array events;
    fail_on(document.get_array().get(events));
    add_events(events);
  }

  // The same for an object with the array as its member `traceEvents`.
  void add_document(const char* text, std::size_t size, std::size_t capacity) {
    simdjson::ondemand::document document;
    fail_on(parser_.iterate(text, size, capacity).get(document));
    simdjson::ondemand::array events;
    fail_on(document["traceEvents"].get_array().get(events));
    add_events(events);
  }

  const Columns& columns() const { return columns_; }

  static void fail_on(simdjson::error_code error) {
    if (error == simdjson::SUCCESS) return;
    std::fprintf(stderr, "rival_simdjson: %s\n", simdjson::error_message(error));
    std::exit(3);
  }

 private:
  void add_events(simdjson::ondemand::array& events) {
    for (auto event : events) {
      object fields;
      fail_on(event.get_object().get(fields));
      add_event(fields);
    }
  }

  void add_event(object& fields) {
    EventRow row;
    for (auto field : fields) {
      const auto key = field.key().value_unsafe();
      value item = field.value().value_unsafe();
      if (is_key(key, "ph")) {
        std::string_view text;
        if (!item.get_string().get(text) && !text.empty()) row.phase = text[0];
      } else if (is_key(key, "cat")) {
        row.category = string_of(item);
      } else if (is_key(key, "name")) {
        row.name = string_of(item);
      } else if (is_key(key, "pid")) {
        row.process = number_or_text(item);
      } else if (is_key(key, "tid")) {
        row.thread = number_or_text(item);
      } else if (is_key(key, "ts")) {
        row.time_ns = nanoseconds_of(trimmed(item.raw_json_token()));
      } else if (is_key(key, "dur")) {
        row.duration_ns = nanoseconds_of(trimmed(item.raw_json_token()));
      } else if (is_key(key, "args")) {
        object args;
        if (!item.get_object().get(args)) add_args(args, row);
      }
    }
    columns_.add(row);
  }

  static void add_args(object& args, EventRow& row) {
    for (auto field : args) {
      const auto key = field.key().value_unsafe();
      value item = field.value().value_unsafe();
      if (is_key(key, "correlation")) {
        row.correlation = integer_of(item);
      } else if (is_key(key, "External id") || is_key(key, "external id")) {
        row.external = integer_of(item);
      } else if (is_key(key, "stream")) {
        row.stream = integer_of(item);
      } else if (is_key(key, "device")) {
        row.device = integer_of(item);
      }
    }
  }

  StringId string_of(value& item) {
    std::string_view text;
    return item.get_string().get(text) ? StringId() : columns_.strings.intern(text);
  }

  static std::int64_t integer_of(value& item) {
    std::int64_t number = kAbsent;
    return item.get_int64().get(number) ? kAbsent : number;
  }

  std::int64_t number_or_text(value& item) {
    std::int64_t number = 0;
    if (!item.get_int64().get(number)) return number;
    const StringId text = string_of(item);
    return ~static_cast<std::int64_t>(text.value);
  }

  simdjson::ondemand::parser parser_;
  Columns columns_;
};

// Feeds the events of the file in blocks; false if the layout offers no certain boundaries.
bool load_blocks_of(int file, Loader& loader) {
  std::string block(2 * kBlockBytes + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t held = 0;
  bool in_array = false;
  bool at_end = false;
  while (!at_end) {
    const ssize_t got = ::read(file, block.data() + held, kBlockBytes);
    at_end = got <= 0;
    held += at_end ? 0 : static_cast<std::size_t>(got);
    std::string_view text(block.data(), held);
    std::size_t begin = 0;
    if (!in_array) {
      begin = text.find(kArrayKey);
      if (begin == std::string_view::npos ||
          !text.substr(begin).starts_with(std::string(kArrayKey) + std::string(kEventBegin)))
        return false;
      begin += kArrayKey.size();
      in_array = true;
    }
    // Up to the last event that begins in this block, or to the end of the array.
    const std::size_t end = at_end ? text.rfind("\n  ]") : text.rfind(kEventBegin);
    if (end == std::string_view::npos || end <= begin) {
      if (at_end) break;
      if (held > kBlockBytes) return false;
      continue;
    }
    const std::size_t close = at_end ? end : text.rfind(',', end);
    // The blank after the newline is free for the bracket, and so is the comma at the end.
    block[begin] = '[';
    block[close] = ']';
    loader.add_array(block.data() + begin, close + 1 - begin, block.size() - begin);
    held -= end;
    std::memmove(block.data(), block.data() + end, held);
    block[0] = '\n';
  }
  return true;
}

bool load_in_blocks(const char* path, Loader& loader) {
  const int file = ::open(path, O_RDONLY);
  if (file < 0) {
    std::perror(path);
    std::exit(3);
  }
  const bool is_loaded = load_blocks_of(file, loader);
  ::close(file);
  return is_loaded;
}

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  using namespace strobe::perf;
  if (argc != 2) {
    std::fprintf(stderr, "usage: rival_simdjson TRACE.json\n");
    return 2;
  }
  struct stat status = {};
  if (::stat(argv[1], &status) != 0) {
    std::perror(argv[1]);
    return 3;
  }
  const Stopwatch watch;
  auto loader = std::make_unique<Loader>();
  bool in_blocks = load_in_blocks(argv[1], *loader);
  if (!in_blocks) {
    loader = std::make_unique<Loader>();
    std::string text = read_whole_file(argv[1]);
    const std::size_t size = text.size();
    text.resize(size + simdjson::SIMDJSON_PADDING);
    loader->add_document(text.data(), size, text.size());
  }
  Outcome outcome;
  outcome.seconds = watch.seconds();
  outcome.cpu_seconds = watch.cpu_seconds();
  outcome.contestant = in_blocks ? "simdjson, 1 MiB blocks" : "simdjson, one document";
  outcome.json_bytes = static_cast<std::uint64_t>(status.st_size);
  outcome.events = loader->columns().size();
  outcome.checksum = checksum_of(loader->columns());
  print(outcome);
  return 0;
}
