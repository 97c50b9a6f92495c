#include "strobe/readers/databases/ascend_counters.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace strobe::readers {
namespace {

// How the rows of a table are told apart besides their device.
enum class RowLabel : std::uint8_t {
  kNone,
  kText,    // a number of STRING_IDS
  kNumber,  // of a unit: "HBM 3"
  kModule,  // a number of ENUM_MODULE
};

struct CounterSource {
  std::string_view table;
  std::string_view name;
  std::string_view time;
  std::string_view label;
  RowLabel label_is;
  std::string_view second_label;  // a text
  std::array<std::string_view, 4> values;
};

constexpr CounterSource kNpuCounters[] = {
    {"AICORE_FREQ", "AI Core Freq", "timestampNs", "", RowLabel::kNone, "", {"freq"}},
    {"HBM", "HBM", "timestampNs", "hbmId", RowLabel::kNumber, "type", {"bandwidth"}},
    {"DDR", "DDR", "timestampNs", "", RowLabel::kNone, "", {"read", "write"}},
    {"LLC", "LLC", "timestampNs", "llcId", RowLabel::kNumber, "mode", {"throughput", "hitRate"}},
    {"NPU_MEM", "NPU MEM", "timestampNs", "type", RowLabel::kText, "", {"ddr", "hbm"}},
    {"NPU_MODULE_MEM",
     "module",
     "timestampNs",
     "moduleId",
     RowLabel::kModule,
     "",
     {"totalReserved"}},
    {"MEMORY_RECORD",
     "memory",
     "timestamp",
     "component",
     RowLabel::kText,
     "",
     {"totalAllocated", "totalReserved", "totalActive"}},
    {"ACC_PMU",
     "Acc PMU",
     "timestampNs",
     "accId",
     RowLabel::kNumber,
     "",
     {"readBwLevel", "writeBwLevel", "readOstLevel", "writeOstLevel"}},
    {"SOC_BANDWIDTH_LEVEL",
     "Stars Soc Info",
     "timestampNs",
     "",
     RowLabel::kNone,
     "",
     {"l2BufferBwLevel", "mataBwLevel"}},
};
constexpr int kFirstCounterValue = 4;  // of the columns that are asked for

class NpuCounters {
 public:
  NpuCounters(NpuTables& tables, NpuTexts& texts, TraceSink& sink)
      : tables_(tables), texts_(texts), sink_(sink) {}

  Result<void> add_all() {
    STROBE_TRY(modules_, tables_.words("ENUM_MODULE"));
    for (const CounterSource& source : kNpuCounters) {
      names_.clear();
      const auto& values = source.values;
      STROBE_TRY_VOID(tables_.each(source.table,
                                   {source.time, "deviceId", source.label, source.second_label,
                                    values[0], values[1], values[2], values[3]},
                                   [&](const sqlite::Query& row) { add(source, row); }));
    }
    return {};
  }

 private:
  void add(const CounterSource& source, const sqlite::Query& row) {
    const auto time_ns = time_at(row, 0);
    if (!time_ns) {
      sink_.report.add(ImportIssue::kMissingTime, 0, "a sample");
      return;
    }
    const auto device =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(row.integer(1), 0, 1 << 20));
    const TrackId track = sink_.tracks.about_device(device, source.name);
    const StringId name = name_of(source, row);
    CounterVectors& counters = sink_.builder.counters();
    for (std::size_t i = 0; i < source.values.size() && !source.values[i].empty(); ++i) {
      const int column = kFirstCounterValue + static_cast<int>(i);
      if (row.is_null(column)) continue;
      counters.times_ns.push_back(*time_ns);
      counters.tracks.push_back(track);
      counters.names.push_back(name);
      counters.series.push_back(sink_.builder.intern(source.values[i]));
      counters.values.push_back(row.real(column));
    }
  }

  StringId name_of(const CounterSource& source, const sqlite::Query& row) {
    const auto [found, is_new] = names_.try_emplace({row.integer(2), row.integer(3)});
    if (!is_new) return found->second;
    std::string name(source.name);
    if (source.label_is == RowLabel::kText) name += " " + std::string(texts_.text(row.integer(2)));
    if (source.label_is == RowLabel::kNumber) name += " " + std::to_string(row.integer(2));
    if (source.label_is == RowLabel::kModule) {
      name += " " + std::string(word_of(modules_, row.integer(2)));
    }
    if (!source.second_label.empty()) name += " " + std::string(texts_.text(row.integer(3)));
    return found->second = sink_.name(name);
  }

  NpuTables& tables_;
  NpuTexts& texts_;
  TraceSink& sink_;
  NpuTables::Words modules_;
  std::map<std::pair<std::int64_t, std::int64_t>, StringId> names_;  // of one table, by its labels
};

}  // namespace

Result<void> add_npu_counters(NpuTables& tables, NpuTexts& texts, TraceSink& sink) {
  return NpuCounters(tables, texts, sink).add_all();
}

}  // namespace strobe::readers
