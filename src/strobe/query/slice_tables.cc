#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "strobe/base/json_text.h"
#include "strobe/base/json_value.h"
#include "strobe/query/table.h"

// Slices, and device work by its kinds.
namespace strobe::query {
namespace {

SliceId any_slice(const TraceSource&, std::size_t row) { return SliceId(row); }
SliceId kernel_at(const TraceSource& source, std::size_t row) { return source.kernels()[row]; }
SliceId copy_at(const TraceSource& source, std::size_t row) { return source.copies()[row]; }

std::optional<std::int64_t> launch_id(const std::uint32_t number) {
  if (number == kNoLaunchId) return std::nullopt;
  return number;
}

Name operator_of(const TraceSource& source, SliceId slice) {
  const std::uint32_t work = source.works_of_slices()[slice.index()];
  if (work == TraceSource::kNoWork) return {};
  const analysis::AttributedTrace& input = source.attributed();
  const analysis::NodeId origin = input.attribution.works.origin_of(work);
  if (!origin.valid()) return {};
  const analysis::NodeId node = input.tree.operators[origin.index()];
  return node.valid() ? source.name(input.tree.slices[node.index()]) : Name{};
}

std::optional<std::int32_t> step_of_launch(const TraceSource& source, SliceId slice) {
  const std::uint32_t work = source.works_of_slices()[slice.index()];
  std::int64_t start_ns = source.trace().start_ns(slice);
  if (work != TraceSource::kNoWork) {
    const SliceId launch = source.attributed().launch_of(work);
    if (launch.valid()) start_ns = source.trace().start_ns(launch);
  }
  const std::int32_t step = source.step_at(start_ns);
  if (step < 0) return std::nullopt;
  return step;
}

std::optional<std::int32_t> step_of_start(const TraceSource& source, SliceId slice) {
  const std::int32_t step = source.step_at(source.trace().start_ns(slice));
  if (step < 0) return std::nullopt;
  return step;
}

// A number among the arguments; the reader goes through them in file order, which is cheap.
Column argument(std::string name, std::string unit, std::string meaning, const char* key,
                SliceId (*at)(const TraceSource&, std::size_t)) {
  Column made{std::move(name), ColumnType::kWhole, std::move(unit), std::move(meaning)};
  made.fill = [key, at](const TraceSource& source, std::size_t first, std::size_t count,
                        Cells& cells) {
    ArgsReader reader(source.trace().args());
    std::int64_t* values = cells.whole();
    for (std::size_t i = 0; i < count; ++i) {
      const ArgsId args = source.trace().slices().args[at(source, first + i).index()];
      const auto value = find(reader.text(args), key).unquoted().as_int64();
      if (value) {
        values[i] = *value;
      } else {
        cells.null(i);
      }
    }
  };
  return made;
}

template <class At>
std::vector<Column> device_columns(At at) {
  return {
      column("device", "", "the number of the device",
             [at](const TraceSource& source, std::size_t row) {
               return source.trace().track(at(source, row)).device;
             }),
      column("stream", "", "the stream, as the trace names it",
             [at](const TraceSource& source, std::size_t row) {
               return source.name(source.trace().track(at(source, row)).thread);
             }),
      column("correlation", "", "the number that links it with the call that launched it",
             [at](const TraceSource& source, std::size_t row) {
               return launch_id(source.trace().slices().correlations[at(source, row).index()]);
             }),
      column("operator", "", "the innermost operator around its launch",
             [at](const TraceSource& source, std::size_t row) {
               return operator_of(source, at(source, row));
             }),
      column("step", "", "the step in which it was launched: a row of `steps`",
             [at](const TraceSource& source, std::size_t row) {
               return step_of_launch(source, at(source, row));
             }),
  };
}

Column kind_column(SliceId (*at)(const TraceSource&, std::size_t), std::string meaning) {
  return column("kind", "", std::move(meaning), [at](const TraceSource& source, std::size_t row) {
    return source.kind(source.trace().kind(at(source, row)));
  });
}

Column communicates(SliceId (*at)(const TraceSource&, std::size_t)) {
  return column("communicates", "", "whether it moves data between processes or devices",
                [at](const TraceSource& source, std::size_t row) {
                  return (source.trace().slices().flags[at(source, row).index()] & kCommunicates) !=
                         0;
                });
}

// Those of `slices`; times are in the trace as they are.
std::vector<Column> all_slice_columns() {
  std::vector<Column> columns = slice_columns(any_slice);
  for (Column& one : columns) {
    if (one.name == "start") {
      one = lying(
          std::move(one), [](const TraceSource& source) -> const auto& {
            return source.trace().slices().starts_ns;
          });
    } else if (one.name == "dur") {
      one = lying(
          std::move(one), [](const TraceSource& source) -> const auto& {
            return source.trace().slices().durations_ns;
          });
    }
  }
  return columns;
}

struct Argument {
  std::size_t slice;
  std::string key;
  std::optional<std::string> value;
};

// Arguments by their number.
std::vector<Argument> read_arguments(const TraceSource& source, std::size_t first,
                                     std::size_t count) {
  const std::vector<std::uint64_t>& ends = source.argument_ends();
  auto slice = static_cast<std::size_t>(std::ranges::upper_bound(ends, first) - ends.begin());
  std::uint64_t number = slice == 0 ? 0 : ends[slice - 1];
  ArgsReader reader(source.trace().args());
  std::vector<Argument> read;
  read.reserve(count);
  for (; slice < ends.size() && number < first + count; ++slice) {
    const ArgsId args = source.trace().slices().args[slice];
    for_each_member(reader.text(args), [&](std::string_view key, const JsonValue& value) {
      if (number >= first && number < first + count) {
        read.push_back({slice, unescape(key), std::nullopt});
        if (value.type != JsonType::kNull) read.back().value = value.as_string();
      }
      ++number;
    });
  }
  return read;
}

// Reading is most of the work, so it is done once for all columns.
const std::vector<Argument>& arguments_of(const TraceSource& source, std::size_t first,
                                          std::size_t count, const Cells& cells) {
  using Arguments = std::vector<Argument>;
  if (*cells.shared == nullptr) {
    *cells.shared = std::make_shared<Arguments>(read_arguments(source, first, count));
  }
  return *static_cast<const Arguments*>(cells.shared->get());
}

template <class Put>
Column argument_column(std::string name, ColumnType type, std::string meaning, const Put& put) {
  Column made{std::move(name), type, "", std::move(meaning)};
  made.fill = [put](const TraceSource& source, std::size_t first, std::size_t count, Cells& cells) {
    const std::vector<Argument>& arguments = arguments_of(source, first, count, cells);
    for (std::size_t row = 0; row < arguments.size(); ++row) put(arguments[row], row, cells);
  };
  return made;
}

Table args() {
  std::vector<Column> columns = {
      argument_column("slice_id", ColumnType::kWhole, "whose argument it is: a row of `slices`",
                      [](const Argument& one, std::size_t row, Cells& cells) {
                        cells.whole()[row] = static_cast<std::int64_t>(one.slice);
                      }),
      argument_column(
          "key", ColumnType::kText, "its name",
          [](const Argument& one, std::size_t row, Cells& cells) { cells.text(row, one.key); }),
      argument_column("value", ColumnType::kText, "its value; lists and objects as JSON",
                      [](const Argument& one, std::size_t row, Cells& cells) {
                        if (one.value) {
                          cells.text(row, *one.value);
                        } else {
                          cells.null(row);
                        }
                      })};
  return {
      .name = "args",
      .meaning = "arguments of slices that strobe's own columns do not have; a row per argument",
      .columns = std::move(columns),
      .rows = [](const TraceSource& source) -> std::size_t {
        const std::vector<std::uint64_t>& ends = source.argument_ends();
        return ends.empty() ? 0 : ends.back();
      }};
}

}  // namespace

std::vector<Table> slice_tables() {
  Table slices{.name = "slices",
               .meaning = "everything with a start and a duration",
               .columns = joined(
                   all_slice_columns(),
                   {kind_column(any_slice, "what it is: operator, runtime call, kernel, ..."),
                    column("category", "", "the file's own name for its kind",
                           [](const TraceSource& source, std::size_t row) {
                             const CategoryId category = source.trace().slices().categories[row];
                             if (!category.valid()) return Name{};
                             return source.name(source.trace().categories()[category.index()].name);
                           }),
                    column("correlation", "", "joins a runtime call with its device work",
                           [](const TraceSource& source, std::size_t row) {
                             return launch_id(source.trace().slices().correlations[row]);
                           }),
                    column("external_id", "", "joins calls and device work with an operator",
                           [](const TraceSource& source, std::size_t row) {
                             return launch_id(source.trace().slices().externals[row]);
                           }),
                    communicates(any_slice),
                    column("backward", "", "whether the autograd engine ran it",
                           [](const TraceSource& source, std::size_t row) {
                             return (source.trace().slices().flags[row] & kBackwardWork) != 0;
                           }),
                    column("unfinished", "", "whether its end was not recorded",
                           [](const TraceSource& source, std::size_t row) {
                             return (source.trace().slices().flags[row] & kUnfinished) != 0;
                           }),
                    column("step", "", "the step in which it begins: a row of `steps`",
                           [](const TraceSource& source, std::size_t row) {
                             return step_of_start(source, SliceId(row));
                           })}),
               .rows = [](const TraceSource& source) { return source.trace().slice_count(); }};
  Table kernels{.name = "kernels",
                .meaning = "kernels on devices",
                .columns = joined(joined(slice_columns(kernel_at), device_columns(kernel_at)),
                                  {communicates(kernel_at)}),
                .rows = [](const TraceSource& source) { return source.kernels().size(); }};
  Table copies{
      .name = "copies",
      .meaning = "copies and memsets on devices",
      .columns = joined(joined(slice_columns(copy_at), device_columns(copy_at)),
                        {kind_column(copy_at, "memcpy or memset"),
                         argument("bytes", "bytes", "how much it moved or set", "bytes", copy_at)}),
      .rows = [](const TraceSource& source) { return source.copies().size(); }};
  return {std::move(slices), std::move(kernels), std::move(copies), args()};
}

}  // namespace strobe::query
