#include <algorithm>
#include <optional>

#include "strobe/query/table.h"

// What the host did, and what it launched.
namespace strobe::query {
namespace {

using analysis::AttributedTrace;
using analysis::LaunchEvidence;
using analysis::NodeId;

using NodesOf = const std::vector<NodeId>& (TraceSource::*)() const;

std::vector<Column> node_columns(NodesOf nodes_of) {
  const auto node = [nodes_of](const TraceSource& source, std::size_t row) {
    return (source.*nodes_of)()[row];
  };
  const auto slice = [node](const TraceSource& source, std::size_t row) {
    return source.attributed().tree.slices[node(source, row).index()];
  };
  return joined(
      slice_columns(slice),
      {column("kind", "", "operator, user range, annotation, ...",
              [node](const TraceSource& source, std::size_t row) {
                return source.kind(source.attributed().tree.roles[node(source, row).index()]);
              }),
       column("parent_id", "", "the slice_id of the range around it; absent at the outermost",
              [node](const TraceSource& source, std::size_t row) -> std::optional<std::int64_t> {
                const analysis::OpTree& tree = source.attributed().tree;
                const NodeId parent = tree.parents[node(source, row).index()];
                if (tree.is_thread(parent)) return std::nullopt;
                return tree.slices[parent.index()].value;
              }),
       column("depth", "", "how many ranges are around it",
              [node](const TraceSource& source, std::size_t row) {
                return static_cast<std::int32_t>(source.depths()[node(source, row).index()]);
              }),
       column("outermost", "", "whether none of the same name is around it",
              [node](const TraceSource& source, std::size_t row) -> bool {
                return source.outermost()[node(source, row).index()];
              }),
       column("self", "ns",
              "time in which it is the innermost open range of its thread and no runtime call is "
              "open",
              [node](const TraceSource& source, std::size_t row) {
                return source.attributed().attribution.self_host_ns[node(source, row).index()];
              }),
       column("device_time", "ns", "kernels, copies and memsets launched in it, at any depth",
              [node](const TraceSource& source, std::size_t row) {
                return source.attributed().device_ns(node(source, row));
              }),
       column("kernel_time", "ns", "of that, kernels",
              [node](const TraceSource& source, std::size_t row) {
                return source.attributed().kernel_ns(node(source, row));
              }),
       column("self_device_time", "ns", "device work launched in it and in no operator below it",
              [node](const TraceSource& source, std::size_t row) {
                return source.self_device_ns()[node(source, row).index()];
              }),
       column("step", "", "the step in which it begins: a row of `steps`",
              [slice](const TraceSource& source, std::size_t row) -> std::optional<std::int32_t> {
                const std::int32_t step =
                    source.step_at(source.trace().start_ns(slice(source, row)));
                if (step < 0) return std::nullopt;
                return step;
              })});
}

std::string_view evidence_word(LaunchEvidence evidence) {
  switch (evidence) {
    case LaunchEvidence::kCorrelation:
      return "correlation";
    case LaunchEvidence::kExternalId:
      return "external id";
    case LaunchEvidence::kFlow:
      return "flow";
    case LaunchEvidence::kNone:
      break;
  }
  return "none";
}

SliceId work_at(const TraceSource& source, std::size_t row) {
  return source.attributed().attribution.works.slices[row];
}

// The call that launched it; invalid if none is known.
SliceId call_at(const TraceSource& source, std::size_t row) {
  const auto& attribution = source.attributed().attribution;
  const analysis::CallId call = attribution.works.calls[row];
  return call.valid() ? attribution.calls.slices[call.index()] : SliceId();
}

// The innermost range around the launch, operator or not.
NodeId origin_at(const TraceSource& source, std::size_t row) {
  const NodeId origin = source.attributed().attribution.works.origin_of(row);
  return origin.valid() && !source.attributed().tree.is_thread(origin) ? origin : NodeId();
}

NodeId operator_at(const TraceSource& source, std::size_t row) {
  const NodeId origin = origin_at(source, row);
  return origin.valid() ? source.attributed().tree.operators[origin.index()] : NodeId();
}

Name name_of(const TraceSource& source, NodeId node) {
  if (!node.valid()) return {};
  return source.name(source.attributed().tree.slices[node.index()]);
}

std::optional<std::int64_t> id_of(SliceId slice) {
  if (!slice.valid()) return std::nullopt;
  return slice.value;
}

std::optional<std::int64_t> id_of(const TraceSource& source, NodeId node) {
  if (!node.valid()) return std::nullopt;
  return id_of(source.attributed().tree.slices[node.index()]);
}

using OptionalTime = std::optional<std::int64_t>;

Table launches() {
  std::vector<Column> columns = {
      column("work_id", "", "the slice_id of the device work",
             [](const TraceSource& source, std::size_t row) {
               return static_cast<std::int64_t>(work_at(source, row).value);
             }),
      column("work", "", "its name",
             [](const TraceSource& source, std::size_t row) {
               return source.name(work_at(source, row));
             }),
      column("kind", "", "kernel, memcpy or memset",
             [](const TraceSource& source, std::size_t row) {
               return source.kind(source.trace().kind(work_at(source, row)));
             }),
      column("work_start", "ns", "when the device began",
             [](const TraceSource& source, std::size_t row) {
               return source.trace().start_ns(work_at(source, row));
             }),
      column("work_dur", "ns", "how long the device took",
             [](const TraceSource& source, std::size_t row) {
               return source.trace().duration_ns(work_at(source, row));
             }),
      column("device", "", "the number of the device",
             [](const TraceSource& source, std::size_t row) {
               return source.trace().track(work_at(source, row)).device;
             }),
      column("stream", "", "the stream, as the trace names it",
             [](const TraceSource& source, std::size_t row) {
               return source.name(source.trace().track(work_at(source, row)).thread);
             }),
      column(
          "call_id", "", "the slice_id of the runtime call; absent if none is known",
          [](const TraceSource& source, std::size_t row) { return id_of(call_at(source, row)); }),
      column("call", "", "its name",
             [](const TraceSource& source, std::size_t row) {
               const SliceId call = call_at(source, row);
               return call.valid() ? source.name(call) : Name{};
             }),
      column("call_start", "ns", "when the call began",
             [](const TraceSource& source, std::size_t row) -> OptionalTime {
               const SliceId call = call_at(source, row);
               if (!call.valid()) return std::nullopt;
               return source.trace().start_ns(call);
             }),
      column("call_dur", "ns", "how long the call took",
             [](const TraceSource& source, std::size_t row) -> OptionalTime {
               const SliceId call = call_at(source, row);
               if (!call.valid()) return std::nullopt;
               return source.trace().duration_ns(call);
             }),
      column("delay", "ns", "from the end of the call to the start of the work, at least 0",
             [](const TraceSource& source, std::size_t row) -> OptionalTime {
               const SliceId call = call_at(source, row);
               if (!call.valid()) return std::nullopt;
               return std::max<std::int64_t>(
                   0, source.trace().start_ns(work_at(source, row)) - source.trace().end_ns(call));
             }),
      column("operator_id", "", "the slice_id of the innermost operator around the launch",
             [](const TraceSource& source, std::size_t row) {
               return id_of(source, operator_at(source, row));
             }),
      column("operator", "", "its name",
             [](const TraceSource& source, std::size_t row) {
               return name_of(source, operator_at(source, row));
             }),
      column("outer_operator", "", "the name of the outermost operator around the launch",
             [](const TraceSource& source, std::size_t row) {
               const NodeId origin = origin_at(source, row);
               if (!origin.valid()) return Name{};
               return name_of(source, source.attributed().tree.outermost_operator(origin));
             }),
      column("range_id", "", "the slice_id of the innermost range around it, operator or not",
             [](const TraceSource& source, std::size_t row) {
               return id_of(source, origin_at(source, row));
             }),
      column("range", "", "its name",
             [](const TraceSource& source, std::size_t row) {
               return name_of(source, origin_at(source, row));
             }),
      column("evidence", "", "how the launch is known: correlation, external id, flow or none",
             [](const TraceSource& source, std::size_t row) {
               return evidence_word(source.attributed().attribution.works.evidence[row]);
             }),
  };
  return {.name = "launches",
          .meaning = "device work and the calls that launched it; a row per work",
          .columns = std::move(columns),
          .rows = [](const TraceSource& source) {
            return source.attributed().attribution.works.size();
          }};
}

}  // namespace

std::vector<Table> host_tables() {
  Table operators{.name = "operators",
                  .meaning = "calls that the framework records as operators, at every depth",
                  .columns = node_columns(&TraceSource::operators),
                  .rows = [](const TraceSource& source) { return source.operators().size(); }};
  Table ranges{.name = "ranges",
               .meaning = "host ranges that are no operators: steps, user ranges, phases, ...",
               .columns = node_columns(&TraceSource::ranges),
               .rows = [](const TraceSource& source) { return source.ranges().size(); }};
  return {launches(), std::move(operators), std::move(ranges)};
}

}  // namespace strobe::query
