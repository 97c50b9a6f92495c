#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "strobe/report/summary/summary_sections.h"

namespace strobe::report {
namespace {

using analysis::KernelRow;
using analysis::OperatorRow;
using analysis::UserRangeRow;

template <class Row>
bool has_threads(const std::vector<analysis::ThreadGroup<Row>>& groups) {
  return groups.size() > 1 || (groups.size() == 1 && !groups.front().thread.empty());
}

template <class Row>
bool has_spoilt_average(const std::vector<Row>& rows, const analysis::TableOptions& options) {
  const auto shown = analysis::shown_rows(rows, options);
  return std::ranges::any_of(shown.rows,
                             [](const Row* row) { return is_spoilt_by_longest(row->host); });
}

template <class Row>
bool has_spoilt_average(const std::vector<analysis::ThreadGroup<Row>>& groups,
                        const analysis::TableOptions& options) {
  return std::ranges::any_of(
      groups, [&](const auto& group) { return has_spoilt_average(group.rows, options); });
}

const analysis::TimeStat& averaged(const OperatorRow& row) { return row.host; }
const analysis::TimeStat& averaged(const UserRangeRow& row) { return row.host; }
const analysis::TimeStat& averaged(const KernelRow& row) { return row.device; }

// The rows of one table after the start-up, by thread and name.
template <class Row>
class SteadyRows {
 public:
  void add(const std::string& thread, const std::vector<Row>& rows) {
    for (const Row& row : rows) rows_.emplace(std::pair(thread, std::string_view(row.name)), &row);
  }
  Cell average(const std::string& thread, const Row& row) const {
    return steady_average(find(thread, row));
  }
  bool changes_any(const std::string& thread, const std::vector<const Row*>& shown) const {
    return std::ranges::any_of(shown, [&](const Row* row) {
      return is_changed_by_start_up(averaged(*row), find(thread, *row));
    });
  }
  bool changes_any(const std::vector<analysis::ThreadGroup<Row>>& groups,
                   const analysis::TableOptions& options) const {
    return std::ranges::any_of(groups, [&](const auto& group) {
      return changes_any(group.thread, analysis::shown_rows(group.rows, options).rows);
    });
  }

 private:
  const analysis::TimeStat* find(const std::string& thread, const Row& row) const {
    const auto found = rows_.find({thread, row.name});
    return found == rows_.end() ? nullptr : &averaged(*found->second);
  }

  std::map<std::pair<std::string, std::string_view>, const Row*> rows_;
};

template <class Row>
SteadyRows<Row> steady_rows(const SummaryInput& input,
                            std::vector<analysis::ThreadGroup<Row>> analysis::Summary::*groups) {
  SteadyRows<Row> steady;
  if (!input.has_start_up()) return steady;
  for (const auto& group : (*input.merged.steady).*groups) steady.add(group.thread, group.rows);
  return steady;
}

template <class Row>
SteadyRows<Row> steady_rows(const SummaryInput& input, std::vector<Row> analysis::Summary::*rows) {
  SteadyRows<Row> steady;
  if (input.has_start_up()) steady.add("", (*input.merged.steady).*rows);
  return steady;
}

Column thread_column(bool is_shown) {
  return {.key = "thread",
          .header = "thread",
          .type = ColumnType::kText,
          .importance = 3,
          .for_tools = !is_shown};
}

Cell thread_cell(const std::string& thread) { return text_or_absent(thread); }

void add_up(analysis::LeftOut& sum, const analysis::LeftOut& more) {
  sum.rows += more.rows;
  sum.host_ns += more.host_ns;
  sum.device_ns += more.device_ns;
  sum.self_host_ns += more.self_host_ns;
}

Cell launcher_cell(const KernelRow& kernel) {
  if (kernel.launchers.empty()) return Absent{};
  const std::string name = kernel.top_operator();
  return Text{name.empty() ? "(outside operators)" : name};
}

Cell launcher_share(const KernelRow& kernel) {
  if (kernel.launchers.empty()) return Absent{};
  return share_of(kernel.launchers.front().device_ns, kernel.device.total_ns);
}

Cell outer_cell(const KernelRow& kernel) {
  return kernel.launchers.empty() ? Cell{Absent{}} : text_or_absent(kernel.launchers.front().outer);
}

// On a page, the parts of an operator are directly below it; tools get them in operator_work.
void add_detail_rows(Table& table, const OperatorRow& row) {
  const auto add = [&](const std::string& name, std::uint64_t calls, const Cell& host,
                       const Cell& host_per_call, const Cell& device, std::size_t indent) {
    Row detail;
    detail.cells.assign(table.columns.size(), Absent{});
    detail.style = RowStyle::kDetail;
    detail.indent = indent;
    detail.for_people = true;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& key = table.columns[i].key;
      if (key == "operator") detail.cells[i] = Text{name};
      if (key == "calls") detail.cells[i] = Count{calls};
      if (key == "host_total_ns") detail.cells[i] = host;
      if (key == "host_per_call_ns") detail.cells[i] = host_per_call;
      if (key == "device_total_ns") detail.cells[i] = device;
    }
    table.rows.push_back(std::move(detail));
  };
  const auto add_work = [&](const std::vector<analysis::DeviceWorkRow>& work, std::size_t indent) {
    for (const auto& item : work) {
      add(item.name, item.device.calls, Absent{}, Absent{}, Duration{item.device.total_ns}, indent);
    }
  };
  for (const auto& phase : row.phases) {
    add(phase.name, phase.host.calls, Duration{phase.host.total_ns}, average_of(phase.host),
        Duration{phase.device.total_ns}, 1);
    add_work(phase.work, 2);
  }
  add_work(row.work, 1);
}

}  // namespace

Section operator_section(const SummaryInput& input) {
  const auto& groups = input.merged.operators;
  const std::int64_t host_ns = host_time_ns(input);
  const std::int64_t device_ns = device_time_ns(input);
  const auto steady = steady_rows(input, &analysis::Summary::operators);
  const bool has_steady = steady.changes_any(groups, input.options);
  Section section;
  section.key = "operators";
  section.title = "Operators";
  section.lead =
      "Framework calls by name, at every depth. Total includes nested calls, self does not. The "
      "host share is self divided by the host time of all threads." +
      (input.has_device ? " " + input.device +
                              " time is that of the work launched inside; its share is of all " +
                              input.device + " time."
                        : std::string()) +
      steady_words(has_steady);
  section.table.columns = {
      thread_column(has_threads(groups)),
      {"operator", "operator", ColumnType::kName, 9},
      {"calls", "calls", ColumnType::kCount, 4},
      {"host_total_ns", "host\ntotal", ColumnType::kDuration, 6},
      {"host_self_ns", "host\nself", ColumnType::kDuration, 5},
      {.key = "host_self_share",
       .header = "share of\nhost time",
       .type = ColumnType::kShare,
       .importance = 3,
       .share_of = host_time_words(input)},
      {"host_per_call_ns", "host\nper call", ColumnType::kDuration, 2},
      without_longest_column(!has_steady && has_spoilt_average(groups, input.options)),
      steady_column(has_steady),
      {.key = "device_total_ns",
       .header = input.device + "\ntotal",
       .type = ColumnType::kDuration,
       .importance = 6,
       .for_tools = !input.has_device},
      {.key = "device_share",
       .header = "share of\n" + input.device + " time",
       .type = ColumnType::kShare,
       .importance = 4,
       .share_of = device_time_words(input),
       .for_tools = !input.has_device},
      tool_column("device_self_ns", ColumnType::kDuration),
      tool_column("device_per_call_ns", ColumnType::kDuration),
      tool_column("host_max_ns", ColumnType::kDuration),
      tool_column("host_min_ns", ColumnType::kDuration),
      tool_column("device_max_ns", ColumnType::kDuration),
      tool_column("device_min_ns", ColumnType::kDuration),
      tool_column("flops", ColumnType::kCount)};
  analysis::LeftOut cut;
  analysis::LeftOut filtered;
  for (const auto& group : groups) {
    const auto shown = analysis::shown_rows(group.rows, input.options);
    add_up(cut, shown.cut);
    add_up(filtered, shown.filtered);
    for (const OperatorRow* row : shown.rows) {
      section.table.rows.push_back(
          {{thread_cell(group.thread), Text{row->name}, Count{row->host.calls},
            Duration{row->host.total_ns}, Duration{row->self_host_ns},
            share_of(row->self_host_ns, host_ns), average_of(row->host),
            average_without_longest(row->host), steady.average(group.thread, *row),
            Duration{row->device.total_ns}, share_of(row->device.total_ns, device_ns),
            Duration{row->self_device_ns}, average_of(row->device), Duration{row->host.max_ns},
            min_of(row->host), Duration{row->device.max_ns}, min_of(row->device),
            row->flops == 0 ? Cell{Absent{}} : Cell{Count{row->flops}}},
           RowStyle::kPlain});
      if (input.options.operator_detail) add_detail_rows(section.table, *row);
    }
  }
  say_left_out(section, input, cut, filtered, "operator");
  return section;
}

Section operator_work_section(const SummaryInput& input) {
  Section section;
  section.key = "operator_work";
  section.title = "Below each operator";
  section.for_tools = true;
  section.table.columns = {{"thread", ""},
                           {"operator", "", ColumnType::kName},
                           {"phase", "", ColumnType::kName},
                           {"device_work", "", ColumnType::kName},
                           {"kind", ""},
                           {"calls", "", ColumnType::kCount},
                           {"host_total_ns", "", ColumnType::kDuration},
                           {"device_total_ns", "", ColumnType::kDuration}};
  auto& rows = section.table.rows;
  for (const auto& group : input.merged.operators) {
    for (const OperatorRow* row : analysis::shown_rows(group.rows, input.options).rows) {
      const auto add_work = [&](const Cell& phase,
                                const std::vector<analysis::DeviceWorkRow>& work) {
        for (const auto& item : work) {
          rows.push_back({{thread_cell(group.thread), Text{row->name}, phase, Text{item.name},
                           Text{std::string(word_of(item.kind))}, Count{item.device.calls},
                           Absent{}, Duration{item.device.total_ns}},
                          RowStyle::kDetail});
        }
      };
      for (const auto& phase : row->phases) {
        rows.push_back({{thread_cell(group.thread), Text{row->name}, Text{phase.name}, Absent{},
                         Text{std::string(word_of(phase.kind))}, Count{phase.host.calls},
                         Duration{phase.host.total_ns}, Duration{phase.device.total_ns}},
                        RowStyle::kDetail});
        add_work(Text{phase.name}, phase.work);
      }
      add_work(Absent{}, row->work);
    }
  }
  return section;
}

Section kernel_section(const SummaryInput& input) {
  std::int64_t kernels_ns = 0;
  for (const KernelRow& kernel : input.merged.kernels) kernels_ns += kernel.device.total_ns;
  const auto shown = analysis::shown_rows(input.merged.kernels, input.options);
  const auto steady = steady_rows(input, &analysis::Summary::kernels);
  const bool has_steady = steady.changes_any("", shown.rows);
  Section section;
  section.key = "kernels";
  section.title = "Kernels";
  section.lead =
      "Kernels by name, with streams added up. Launched by is the innermost operator around the "
      "launch." +
      steady_words(has_steady);
  const bool is_spoilt = std::ranges::any_of(
      shown.rows, [](const KernelRow* row) { return is_spoilt_by_longest(row->device); });
  section.table.columns = {
      {.key = "kernel",
       .header = "kernel",
       .type = ColumnType::kName,
       .importance = 9,
       .least_width = 36},
      {"calls", "calls", ColumnType::kCount, 4},
      {"device_total_ns", "total", ColumnType::kDuration, 6},
      {.key = "device_share",
       .header = "share of\nkernels",
       .type = ColumnType::kShare,
       .importance = 5,
       .share_of = "time of all kernels" + launched_words(input)},
      whole_bar_column(),
      {"device_per_call_ns", "per call", ColumnType::kDuration, 3},
      without_longest_column(!has_steady && is_spoilt),
      steady_column(has_steady),
      {.key = "device_max_ns",
       .header = "longest",
       .type = ColumnType::kDuration,
       .for_tools = true},
      {.key = "device_min_ns",
       .header = "shortest",
       .type = ColumnType::kDuration,
       .for_tools = true},
      {"top_operator", "launched by\n(mostly)", ColumnType::kName, 2},
      {.key = "top_operator_share",
       .header = "of its\ntime",
       .type = ColumnType::kShare,
       .importance = 1,
       .share_of = "time of this kernel"},
      {"outer_operator", "inside", ColumnType::kName, 1},
      {.key = "role", .header = "role", .type = ColumnType::kText, .for_tools = true}};
  for (const KernelRow* kernel : shown.rows) {
    const Cell share = share_of(kernel->device.total_ns, kernels_ns);
    section.table.rows.push_back(
        {{Text{kernel->name}, Count{kernel->device.calls}, Duration{kernel->device.total_ns}, share,
          share, average_of(kernel->device), average_without_longest(kernel->device),
          steady.average("", *kernel), Duration{kernel->device.max_ns}, min_of(kernel->device),
          launcher_cell(*kernel), launcher_share(*kernel), outer_cell(*kernel),
          Text{kernel->communicates ? "communication" : "computation"}},
         RowStyle::kPlain});
  }
  say_left_out(section, input, Omitted{shown.cut.rows, shown.cut.device_ns},
               Omitted{shown.filtered.rows, shown.filtered.device_ns}, input.device + " time",
               "kernel");
  if (const std::uint64_t orphans = input.merged.orphan_device_slices; orphans > 0) {
    section.notes.push_back(counted(orphans, "device slice") +
                            (orphans == 1
                                 ? " has no recorded launch: it counts here, but under "
                                 : " have no recorded launch: they count here, but under ") +
                            "no operator.");
  }
  return section;
}

namespace {

std::vector<Column> range_columns(const SummaryInput& input, bool with_threads, bool is_spoilt,
                                  bool has_steady) {
  return {thread_column(with_threads),
          {"range", "range", ColumnType::kName, 9},
          {"calls", "calls", ColumnType::kCount, 3},
          {"host_total_ns", "host\ntotal", ColumnType::kDuration, 6},
          {.key = "host_share",
           .header = "share of\nhost time",
           .type = ColumnType::kShare,
           .importance = 4,
           .share_of = host_time_words(input)},
          {"host_self_ns", "host\nself", ColumnType::kDuration, 5},
          {"host_per_call_ns", "host\nper call", ColumnType::kDuration, 2},
          without_longest_column(!has_steady && is_spoilt),
          steady_column(has_steady),
          {.key = "device_total_ns",
           .header = input.device + "\ntotal",
           .type = ColumnType::kDuration,
           .importance = 5,
           .for_tools = !input.has_device},
          tool_column("host_max_ns", ColumnType::kDuration),
          tool_column("host_min_ns", ColumnType::kDuration)};
}

Row range_row(const std::string& thread, const UserRangeRow& range, std::int64_t host_ns,
              const SteadyRows<UserRangeRow>& steady) {
  return {{thread_cell(thread), Text{range.name}, Count{range.host.calls},
           Duration{range.host.total_ns}, share_of(range.host.total_ns, host_ns),
           Duration{range.self_host_ns}, average_of(range.host),
           average_without_longest(range.host), steady.average(thread, range),
           Duration{range.device.total_ns}, Duration{range.host.max_ns}, min_of(range.host)},
          RowStyle::kPlain};
}

}  // namespace

Section user_range_section(const SummaryInput& input) {
  const auto& groups = input.merged.user_ranges;
  const auto steady = steady_rows(input, &analysis::Summary::user_ranges);
  const bool has_steady = steady.changes_any(groups, input.options);
  Section section;
  section.key = "user_ranges";
  section.title = input.merged.operators.empty() ? "Ranges" : "Ranges of the user's script";
  section.lead = std::string(input.merged.operators.empty() ? "What the trace recorded, by name."
                                                            : "Annotations in the code.") +
                 " Total includes the ranges inside, self does not. The share is total divided by "
                 "the host time of all threads" +
                 (input.has_device ? "; " + input.device +
                                         " time is that of the work launched inside, from the "
                                         "same thread."
                                   : std::string(".")) +
                 steady_words(has_steady);
  section.table.columns = range_columns(input, has_threads(groups),
                                        has_spoilt_average(groups, input.options), has_steady);
  const std::int64_t host_ns = host_time_ns(input);
  analysis::LeftOut cut;
  analysis::LeftOut filtered;
  for (const auto& group : groups) {
    const auto shown = analysis::shown_rows(group.rows, input.options);
    add_up(cut, shown.cut);
    add_up(filtered, shown.filtered);
    for (const UserRangeRow* range : shown.rows) {
      section.table.rows.push_back(range_row(group.thread, *range, host_ns, steady));
    }
  }
  say_left_out(section, input, cut, filtered, "range");
  return section;
}

Section memory_range_section(const SummaryInput& input) {
  const auto shown = analysis::shown_rows(input.merged.memory_ranges, input.options);
  const auto steady = steady_rows(input, &analysis::Summary::memory_ranges);
  const bool has_steady = steady.changes_any("", shown.rows);
  Section section;
  section.key = "memory_ranges";
  section.title = "Copies and memsets as the host sees them";
  section.lead = "Ranges in which the framework moves or sets memory." + steady_words(has_steady);
  section.table.columns = range_columns(
      input, false, has_spoilt_average(input.merged.memory_ranges, input.options), has_steady);
  const std::int64_t host_ns = host_time_ns(input);
  for (const UserRangeRow* range : shown.rows) {
    section.table.rows.push_back(range_row("", *range, host_ns, steady));
  }
  say_left_out(section, input, shown.cut, shown.filtered, "range");
  return section;
}

}  // namespace strobe::report
