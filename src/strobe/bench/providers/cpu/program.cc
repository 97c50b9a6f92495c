#include "strobe/bench/providers/cpu/program.h"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <utility>

#include "strobe/bench/providers/cpu/blocked_expression.h"
#include "strobe/bench/providers/cpu/row_kernel_match.h"
#include "strobe/bench/reference/dropout.h"

namespace strobe::bench {
namespace {

constexpr std::int64_t kNearBytes = std::int64_t{32} << 20;  // second caches of several processors

class RowProgram {
 public:
  explicit RowProgram(const ProgramRequest& request)
      : request_(request), rows_(request.shape[0]), columns_(request.shape[1]) {}

  Program fused_case() && {
    const Expression expression = fused(request_.info);
    declare(expression);
    add_step(std::string(request_.info.id), expression);
    return std::move(program_);
  }

  // One step for each operator; a buffer that is no longer read is reused.
  Program operators() && {
    declare(fused(request_.info));
    const std::vector<Operator>& list = request_.info.operators;
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (const Output& output : list[i].expression.outputs) {
        if (!buffers_.contains(output.tensor.name)) {
          buffers_[output.tensor.name] = between(bytes_of_tensor(output.tensor));
        }
      }
      add_step(list[i].name, list[i].expression);
      for (const Tensor& tensor : list[i].expression.inputs) {
        if (!is_read_after(tensor.name, i) && between_.contains(buffers_[tensor.name])) {
          free_.push_back(buffers_[tensor.name]);
        }
      }
    }
    return std::move(program_);
  }

 private:
  std::int64_t bytes_of_tensor(const Tensor& tensor) const {
    return stored_size(tensor, rows_, columns_).values() * bytes_of(request_.dtype);
  }
  std::int64_t stride_of(const Tensor& tensor) const {
    if (tensor.extent == Extent::kElements) return columns_;
    return tensor.extent == Extent::kRows ? 1 : 0;
  }

  void declare(const Expression& expression) {
    for (const Tensor& tensor : expression.inputs) {
      program_.inputs.push_back(buffers_[tensor.name] =
                                    program_.add_buffer(bytes_of_tensor(tensor)));
    }
    for (const Output& output : expression.outputs) {
      program_.outputs.push_back(buffers_[output.tensor.name] =
                                     program_.add_buffer(bytes_of_tensor(output.tensor)));
    }
  }

  BufferIndex between(std::int64_t bytes) {
    const auto found =
        std::ranges::find(free_, bytes, [&](BufferIndex at) { return program_.buffer_bytes[at]; });
    if (found == free_.end()) {
      const BufferIndex made = program_.add_buffer(bytes);
      between_.insert(made);
      return made;
    }
    const BufferIndex again = *found;
    free_.erase(found);
    return again;
  }

  bool is_read_after(const std::string& name, std::size_t op) const {
    const std::vector<Operator>& list = request_.info.operators;
    return std::any_of(
        list.begin() + static_cast<std::ptrdiff_t>(op) + 1, list.end(), [&](const Operator& later) {
          return std::ranges::count(later.expression.inputs, name, &Tensor::name) > 0;
        });
  }

  void add_step(std::string name, const Expression& expression) {
    if (const auto match = match_row_kernel(expression)) {
      add_kernel_step(std::move(name), expression, *match);
    } else if (const auto turned = match_transposed_sum(expression)) {
      add_transposed_step(std::move(name), expression, *turned);
    } else if (const auto dropped = match_transposed_dropout(expression)) {
      add_transposed_step(std::move(name), expression, *dropped);
    } else {
      add_interpreted_step(std::move(name), expression);
    }
  }

  // One row of f32 for each thread, shared by all steps.
  BufferIndex scratch(std::int64_t floats) {
    const std::int64_t bytes = floats * 4 * request_.threads;
    if (!has_scratch_) {
      scratch_ = program_.add_buffer(0);
      has_scratch_ = true;
    }
    program_.buffer_bytes[scratch_] = std::max(program_.buffer_bytes[scratch_], bytes);
    return scratch_;
  }

  // The buffer of each operand of a task, and its stride per row.
  struct Place {
    BufferIndex buffer;
    std::int64_t stride;
  };
  struct Layout {
    std::vector<Place> inputs, outputs;
    std::int64_t size;  // bytes per value
    float constant = 0;
    std::uint32_t dropped_below = 0;
    bool is_streamed = false;
  };

  static RowsTask task_of(const Layout& layout, const ProgramContext& context) {
    RowsTask task;
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      task.in[i] = context.data(layout.inputs[i].buffer);
      task.in_stride[i] = layout.inputs[i].stride;
    }
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
      task.out[i] = context.data(layout.outputs[i].buffer);
      task.out_stride[i] = layout.outputs[i].stride;
    }
    task.constant = layout.constant;
    task.is_streamed = layout.is_streamed;
    task.counter = context.dropout_key;
    task.dropped_below = layout.dropped_below;
    return task;
  }

  // Advances every tensor by `columns`; each has one value per column.
  static void move_right(RowsTask& task, const Layout& layout, std::int64_t columns) {
    for (std::size_t i = 0; i < layout.inputs.size(); ++i) {
      task.in[i] = static_cast<const char*>(task.in[i]) + columns * layout.size;
    }
    for (std::size_t i = 0; i < layout.outputs.size(); ++i) {
      task.out[i] = static_cast<char*>(task.out[i]) + columns * layout.size;
    }
    task.counter += static_cast<std::uint32_t>(columns);
  }

  // Results that a later step reads stay in the caches. A result that no later step reads bypasses
  // the caches, unless all of it fits in the near ones.
  double bytes_worth_keeping(const std::vector<Place>& outputs) const {
    const bool is_read_here = std::ranges::any_of(
        outputs, [&](const Place& place) { return between_.contains(place.buffer); });
    return static_cast<double>(is_read_here ? request_.cache_bytes
                                            : std::min(request_.cache_bytes, kNearBytes));
  }

  void add_kernel_step(std::string name, const Expression& expression,
                       const RowKernelMatch& match) {
    Layout layout{{}, {}, bytes_of(request_.dtype)};
    double bytes = 0;
    bool is_flat = !expression.has_reduction();
    bool has_row_values = false;
    for (const std::size_t input : match.inputs) {
      const Tensor& tensor = expression.inputs[input];
      layout.inputs.push_back({buffers_.at(tensor.name), stride_of(tensor)});
      bytes += static_cast<double>(bytes_of_tensor(tensor));
      is_flat = is_flat && tensor.extent == Extent::kElements;
      has_row_values = has_row_values || tensor.extent == Extent::kRows;
    }
    for (const Output& output : expression.outputs) {
      layout.outputs.push_back({buffers_.at(output.tensor.name), stride_of(output.tensor)});
      bytes += static_cast<double>(bytes_of_tensor(output.tensor));
    }
    const RowsKernel kernel = request_.kernels.kernel(request_.dtype, match.id);
    layout.is_streamed = bytes > bytes_worth_keeping(layout.outputs);
    layout.constant = static_cast<float>(match.constant);
    if (const Node* const dropout = expression.dropout()) {
      layout.constant = static_cast<float>(kept_scale(dropout->constant));
      layout.dropped_below = dropped_below(dropout->constant);
    }
    const std::int64_t rows = rows_, columns = columns_;
    if (is_flat) {  // one long row, can be split anywhere
      program_.steps.push_back({std::move(name), [=](const ProgramContext& context) {
                                  context.team.share_in_pieces(
                                      rows * columns, kGrainElements,
                                      [&](std::int64_t, std::int64_t first, std::int64_t last) {
                                        RowsTask task = task_of(layout, context);
                                        move_right(task, layout, first);
                                        task.columns = last - first;
                                        kernel(task, 0, 1);
                                      });
                                }});
      return;
    }
    if (!expression.has_reduction() && !has_row_values &&
        rows < request_.threads) {  // few long rows
      program_.steps.push_back({std::move(name), [=](const ProgramContext& context) {
                                  context.team.share_in_pieces(
                                      columns, kGrainElements,
                                      [&](std::int64_t, std::int64_t first, std::int64_t last) {
                                        RowsTask task = task_of(layout, context);
                                        move_right(task, layout, first);
                                        task.columns = last - first;
                                        kernel(task, 0, rows);
                                      });
                                }});
      return;
    }
    const bool has_scratch =
        match.id == RowsKernelId::kSoftmax || match.id == RowsKernelId::kDoubleSoftmax;
    const BufferIndex row = has_scratch ? scratch(columns) : 0;
    program_.steps.push_back(
        {std::move(name), [=](const ProgramContext& context) {
           const std::int64_t grain = 1 + kGrainElements / columns;
           context.team.share_in_pieces(
               rows, grain, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
                 RowsTask task = task_of(layout, context);
                 task.columns = columns;
                 if (has_scratch) task.scratch = context.floats(row) + thread * columns;
                 kernel(task, first, last);
               });
         }});
  }

  void add_transposed_step(std::string name, const Expression& expression,
                           const TransposedMatch& match) {
    const auto buffer = [&](std::size_t input) {
      return buffers_.at(expression.inputs[input].name);
    };
    const BufferIndex a = buffer(match.turned), b = buffer(match.straight[0]);
    const bool has_third = match.straight.size() > 1;
    const BufferIndex c = has_third ? buffer(match.straight[1]) : 0;
    const Output& output = expression.outputs[0];
    const BufferIndex out = buffers_.at(output.tensor.name);
    // In the layout of the turned tensor.
    const std::int64_t rows = output.tensor.is_transposed ? rows_ : columns_;
    const std::int64_t columns = output.tensor.is_transposed ? columns_ : rows_;
    const Node* const dropout = expression.dropout();
    const TypeKernels& kernels = request_.kernels.of(request_.dtype);
    const TransposedKernel kernel =
        dropout ? kernels.add_dropped_transposed : kernels.add_transposed;
    const double p = dropout ? dropout->constant : 0;
    program_.steps.push_back({std::move(name), [=](const ProgramContext& context) {
                                const TransposedTask task{context.data(a),
                                                          context.data(b),
                                                          has_third ? context.data(c) : nullptr,
                                                          context.data(out),
                                                          rows,
                                                          columns,
                                                          context.dropout_key,
                                                          dropped_below(p),
                                                          static_cast<float>(kept_scale(p))};
                                context.team.share(
                                    columns, 32,
                                    [&](std::int64_t, std::int64_t first, std::int64_t last) {
                                      kernel(task, first, last);
                                    });
                              }});
  }

  void add_interpreted_step(std::string name, const Expression& expression) {
    const auto blocked = std::make_shared<const BlockedExpression>(expression, request_.kernels,
                                                                   request_.dtype, rows_, columns_);
    std::vector<BufferIndex> inputs, outputs;
    for (const Tensor& tensor : expression.inputs) inputs.push_back(buffers_.at(tensor.name));
    for (const Output& output : expression.outputs)
      outputs.push_back(buffers_.at(output.tensor.name));
    const BufferIndex pieces = scratch(blocked->scratch());
    const std::int64_t rows = rows_, grain = 1 + kGrainElements / columns_;
    program_.steps.push_back(
        {std::move(name), [=](const ProgramContext& context) {
           std::vector<const void*> in;
           std::vector<void*> out;
           for (const BufferIndex index : inputs) in.push_back(context.data(index));
           for (const BufferIndex index : outputs) out.push_back(context.data(index));
           context.team.share(
               rows, grain, [&](std::int64_t thread, std::int64_t first, std::int64_t last) {
                 blocked->run(in, out, context.floats(pieces) + thread * blocked->scratch(), first,
                              last, context.dropout_key);
               });
         }});
  }

  const ProgramRequest& request_;
  std::int64_t rows_;
  std::int64_t columns_;
  Program program_;
  std::map<std::string, BufferIndex> buffers_;  // of tensors that exist now
  std::set<BufferIndex> between_;
  std::vector<BufferIndex> free_;
  BufferIndex scratch_ = 0;
  bool has_scratch_ = false;
};

}  // namespace

Program make_row_program(const ProgramRequest& request) {
  RowProgram program(request);
  return request.is_fused ? std::move(program).fused_case() : std::move(program).operators();
}

double Program::resident_bytes() const {
  return static_cast<double>(
      std::accumulate(buffer_bytes.begin(), buffer_bytes.end(), std::int64_t{0}));
}

Program make_program(const ProgramRequest& request) {
  switch (request.info.kind) {
    case CaseKind::kRows:
      return make_row_program(request);
    case CaseKind::kMatmul:
      return make_matmul_program(request);
    case CaseKind::kConvolution:
      return make_convolution_program(request);
    case CaseKind::kAttention:
      return make_attention_program(request);
  }
  return {};
}

}  // namespace strobe::bench
