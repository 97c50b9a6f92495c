#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "strobe/base/byte_stream.h"
#include "strobe/base/check.h"
#include "strobe/fleet/replay/dependency_graph.h"
#include "strobe/fleet/replay/operation_table.h"

namespace strobe::testing {

// An operation table, line by line: OperationSketch().forward(0, 1.0, 2.0).text().
class OperationSketch {
 public:
  // The lines that follow are those of this rank of the job.
  OperationSketch& at(int step, int data_rank, int stage) {
    return at(step, data_rank, stage, 10 * stage + data_rank);
  }
  OperationSketch& at(int step, int data_rank, int stage, int rank) {
    step_ = step;
    data_rank_ = data_rank;
    stage_ = stage;
    rank_ = rank;
    return *this;
  }
  OperationSketch& add(const std::string& type, int sequence, double start_s, double end_s,
                       int chunk = -1, int global_chunk = -1) {
    text_ += fmt::format("{},{},{},{},{},{},{},{},{},-1,{}\n", data_rank_, stage_, rank_, step_,
                         type, start_s, end_s - start_s, sequence, chunk, global_chunk);
    return *this;
  }
  // A pass of the stage's only chunk.
  OperationSketch& forward(int sequence, double start_s, double end_s) {
    return add("forward-compute", sequence, start_s, end_s, 0, stage_);
  }
  OperationSketch& backward(int sequence, double start_s, double end_s) {
    return add("backward-compute", sequence, start_s, end_s, 0, stage_);
  }

  std::string text() const {
    return "dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id,gmc\n" + text_;
  }
  Result<fleet::OperationTable> parsed() const {
    const std::string all = text();
    const auto stream = open_stream(std::string_view(all)).value();
    return fleet::parse_operation_table(*stream, "ops.csv");
  }
  fleet::OperationTable table() const { return parsed().value(); }

 private:
  std::string text_;
  int step_ = 0;
  int data_rank_ = 0;
  int stage_ = 0;
  int rank_ = 0;
};

// A graph by the names of its operations: "forward-send_0_1" is the first of stage 1.
class NamedGraph {
 public:
  explicit NamedGraph(fleet::OperationTable table)
      : table_(std::move(table)), graph_(fleet::build_graph(table_).value()) {}

  using Names = std::set<std::string>;

  Names before(const std::string& name) const {
    Names names;
    for (const std::uint32_t i : graph_.predecessors_of(place_of(name))) {
      names.insert(fleet::name_of(table_.operations[i]));
    }
    return names;
  }
  // With itself.
  Names together_with(const std::string& name) const {
    Names names;
    for (const std::uint32_t i : graph_.members_of(group_of(name))) {
      names.insert(fleet::name_of(table_.operations[i]));
    }
    return names;
  }
  fleet::Reach reach_of(const std::string& name) const { return group_of(name).reach; }

 private:
  std::uint32_t place_of(const std::string& name) const {
    const auto found = std::ranges::find_if(table_.operations, [&](const fleet::Operation& one) {
      return fleet::name_of(one) == name;
    });
    STROBE_CHECK(found != table_.operations.end(), "the table has this operation");
    return static_cast<std::uint32_t>(found - table_.operations.begin());
  }
  const fleet::Group& group_of(const std::string& name) const {
    const std::uint32_t place = place_of(name);
    return *std::ranges::find_if(graph_.groups, [&](const fleet::Group& group) {
      const auto members = graph_.members_of(group);
      return std::ranges::find(members, place) != members.end();
    });
  }

  fleet::OperationTable table_;
  fleet::DependencyGraph graph_;
};

}  // namespace strobe::testing
