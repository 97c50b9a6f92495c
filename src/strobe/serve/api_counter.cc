#include "strobe/serve/api_answers.h"
#include "strobe/serve/api_values.h"

namespace strobe::serve {

Result<std::string> counter_answer(const Query& query, const OpenTrace& open) {
  STROBE_TRY(const std::size_t counter, counter_of(query, open));
  STROBE_TRY(const Interval window, window_of(query, open));
  STROBE_TRY(const std::uint32_t columns, columns_of(query));
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("points").begin_array();
  for (const auto& point : analysis::sample(open.counters()[counter], window, columns)) {
    json.begin_array()
        .value(since_origin(open, point.time_ns))
        .value(point.low)
        .value(point.high)
        .end_array();
  }
  json.end_array().end_object();
  return out;
}

}  // namespace strobe::serve
