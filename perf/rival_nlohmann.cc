// nlohmann::json's SAX interface over the whole text, into the same columns.
//
//   rival_nlohmann TRACE.json
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "perf/contest.h"

namespace strobe::perf {
namespace {

// Keeps track of where it is by depth: 1 the top level, 2 the event array, 3 an event, 4 its args.
class Loader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  const Columns& columns() const { return columns_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t number) override { return integer(number); }
  bool number_unsigned(number_unsigned_t number) override {
    return integer(static_cast<std::int64_t>(number));
  }
  bool number_float(number_float_t, const string_t& text) override {
    if (depth_ == 3 && in_events_) take_time(nanoseconds_of(text));
    return true;
  }
  bool string(string_t& text) override {
    if (depth_ != 3 || !in_events_) return true;
    switch (field_) {
      case Field::kPhase:
        row_.phase = text.empty() ? '\0' : text[0];
        break;
      case Field::kCategory:
        row_.category = columns_.strings.intern(text);
        break;
      case Field::kName:
        row_.name = columns_.strings.intern(text);
        break;
      case Field::kProcess:
        row_.process = ~static_cast<std::int64_t>(columns_.strings.intern(text).value);
        break;
      case Field::kThread:
        row_.thread = ~static_cast<std::int64_t>(columns_.strings.intern(text).value);
        break;
      default:
        break;
    }
    return true;
  }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (depth_ == 3 && in_events_) row_ = EventRow();
    if (depth_ == 4) in_args_ = field_ == Field::kArgs;
    return true;
  }
  bool end_object() override {
    if (depth_ == 3 && in_events_) columns_.add(row_);
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    if (depth_ == 2) in_events_ = array_is_next_;
    return true;
  }
  bool end_array() override {
    if (depth_ == 2) in_events_ = false;
    --depth_;
    return true;
  }

  bool key(string_t& text) override {
    if (depth_ == 1) {
      array_is_next_ = text == "traceEvents";
    } else if (depth_ == 3 && in_events_) {
      field_ = event_field(text);
    } else if (depth_ == 4 && in_events_) {
      arg_ = in_args_ ? arg_field(text) : Field::kOther;
    }
    return true;
  }

  bool parse_error(std::size_t at, const std::string&,
                   const nlohmann::detail::exception& error) override {
    std::fprintf(stderr, "rival_nlohmann: byte %zu: %s\n", at, error.what());
    return false;
  }

 private:
  enum class Field {
    kOther,
    kPhase,
    kCategory,
    kName,
    kProcess,
    kThread,
    kTime,
    kDuration,
    kArgs,
    kCorrelation,
    kExternal,
    kStream,
    kDevice,
  };

  static Field event_field(const std::string& key) {
    if (key == "ph") return Field::kPhase;
    if (key == "cat") return Field::kCategory;
    if (key == "name") return Field::kName;
    if (key == "pid") return Field::kProcess;
    if (key == "tid") return Field::kThread;
    if (key == "ts") return Field::kTime;
    if (key == "dur") return Field::kDuration;
    if (key == "args") return Field::kArgs;
    return Field::kOther;
  }
  static Field arg_field(const std::string& key) {
    if (key == "correlation") return Field::kCorrelation;
    if (key == "External id" || key == "external id") return Field::kExternal;
    if (key == "stream") return Field::kStream;
    if (key == "device") return Field::kDevice;
    return Field::kOther;
  }

  bool integer(std::int64_t number) {
    if (!in_events_) return true;
    if (depth_ == 3) {
      if (field_ == Field::kProcess) row_.process = number;
      if (field_ == Field::kThread) row_.thread = number;
      take_time(number * 1000);
    } else if (depth_ == 4) {
      if (arg_ == Field::kCorrelation) row_.correlation = number;
      if (arg_ == Field::kExternal) row_.external = number;
      if (arg_ == Field::kStream) row_.stream = number;
      if (arg_ == Field::kDevice) row_.device = number;
    }
    return true;
  }
  void take_time(std::int64_t ns) {
    if (field_ == Field::kTime) row_.time_ns = ns;
    if (field_ == Field::kDuration) row_.duration_ns = ns;
  }

  Columns columns_;
  EventRow row_;
  Field field_ = Field::kOther;
  Field arg_ = Field::kOther;
  int depth_ = 0;
  bool array_is_next_ = false;
  bool in_events_ = false;
  bool in_args_ = false;
};

}  // namespace
}  // namespace strobe::perf

int main(int argc, char** argv) {
  using namespace strobe::perf;
  if (argc != 2) {
    std::fprintf(stderr, "usage: rival_nlohmann TRACE.json\n");
    return 2;
  }
  const Stopwatch watch;
  const std::string text = read_whole_file(argv[1]);
  Loader loader;
  if (!nlohmann::json::sax_parse(text.begin(), text.end(), &loader)) return 3;
  Outcome outcome;
  outcome.seconds = watch.seconds();
  outcome.cpu_seconds = watch.cpu_seconds();
  outcome.contestant = "nlohmann SAX";
  outcome.json_bytes = text.size();
  outcome.events = loader.columns().size();
  outcome.checksum = checksum_of(loader.columns());
  print(outcome);
  return 0;
}
