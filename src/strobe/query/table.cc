#include "strobe/query/table.h"

namespace strobe::query {

std::vector<Table> all_tables() {
  std::vector<Table> tables;
  for (const auto make : {slice_tables, host_tables, step_tables, wait_tables, fleet_tables,
                          event_tables, trace_tables, allocator_tables, counter_tables}) {
    for (Table& table : make()) tables.push_back(std::move(table));
  }
  for (Table& table : tables) {
    Column run = column("run", "", "the run: the name of its folder or file",
                        [](const TraceSource& source, std::size_t) { return source.run(); });
    Column rank =
        column("rank", "", "the rank within the run, 0 if there is only one trace",
               [](const TraceSource& source, std::size_t) { return source.input().rank; });
    table.columns.insert(table.columns.begin(), {std::move(run), std::move(rank)});
  }
  return tables;
}

}  // namespace strobe::query
