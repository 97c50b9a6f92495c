#include "strobe/readers/databases/ascend_database.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "strobe/base/json_write.h"
#include "strobe/readers/ascend/launch_arrows.h"
#include "strobe/readers/ascend/tasks.h"
#include "strobe/readers/databases/ascend_counters.h"
#include "strobe/readers/databases/ascend_device.h"
#include "strobe/readers/databases/ascend_host.h"
#include "strobe/readers/databases/ascend_tables.h"

namespace strobe::readers {
namespace {

bool is_ascend_database(const sqlite::Database& database) {
  if (!database.has_table("STRING_IDS")) return false;
  if (database.has_column("TASK", "globalTaskId")) return true;
  return database.has_column("CANN_API", "globalTid") ||
         database.has_column("PYTORCH_API", "globalTid");
}

Result<void> read_facts(NpuTables& tables, TraceSink& sink) {
  Metadata& metadata = sink.builder.metadata();
  STROBE_TRY_VOID(tables.each("NPU_INFO", {"id", "name"}, [&](const sqlite::Query& row) {
    DeviceProperties device;
    device.id = static_cast<std::int32_t>(std::clamp<std::int64_t>(row.integer(0), 0, 1 << 20));
    device.name = sink.builder.strings()[sink.name(row.text(1))];
    metadata.devices.push_back(std::move(device));
  }));
  return tables.each("RANK_DEVICE_MAP", {"rankId"}, [&](const sqlite::Query& row) {
    const std::int64_t rank = row.integer(0);
    const bool fits = rank >= 0 && rank < std::numeric_limits<std::int32_t>::max();
    if (!row.is_null(0) && fits && !metadata.distributed.rank) {
      metadata.distributed.rank = static_cast<std::int32_t>(rank);
    }
  });
}

// Descriptions of the machine, of the recording and of other rows.
constexpr auto kNpuNoEvents = std::to_array<std::string_view>(
    {"ENUM_*", "HOST_INFO", "META_DATA", "SESSION_TIME_INFO", "status_info", "connectionCats",
     "RANK_DEVICE_MAP", "NPU_INFO", "STRING_IDS", "PYTORCH_CALLCHAINS", "CONNECTION_IDS"});

Result<LeftOut> read_ascend_database(const sqlite::Database& database, TraceSink& sink) {
  NpuTables tables(database, sink);
  NpuTexts texts;
  sink.builder.metadata().traits = npu_traits();
  sink.expect(tables.about_rows({"STRING_IDS", "COMPUTE_TASK_INFO", "COMMUNICATION_TASK_INFO",
                                 "TASK", "CANN_API", "PYTORCH_API", "CONNECTION_IDS", "HBM", "LLC",
                                 "NPU_MODULE_MEM", "MEMORY_RECORD", "ACC_PMU"}));
  STROBE_TRY_VOID(read_facts(tables, sink));
  STROBE_TRY_VOID(texts.read(tables));
  STROBE_TRY(const std::vector<NpuLaunchEnd> ends, add_npu_tasks(tables, texts, sink));
  STROBE_TRY_VOID(add_npu_host(tables, texts, ends, sink));
  STROBE_TRY_VOID(add_npu_counters(tables, texts, sink));
  join_npu_launches(sink.builder);
  return LeftOut();
}

}  // namespace

const DatabaseFormat kAscendDatabase{"database of an NPU profiler", is_ascend_database,
                                     read_ascend_database, kNpuNoEvents};

}  // namespace strobe::readers
