#include "strobe/device/kernel_name.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

#include "strobe/base/text.h"
#include "strobe/device/functor_name.h"
#include "strobe/device/name_parts.h"

namespace strobe::device {
namespace {

std::string without(std::string_view text, std::initializer_list<std::string_view> words) {
  std::string rest;
  rest.reserve(text.size());
  while (!text.empty()) {
    std::size_t skipped = 0;
    for (const std::string_view word : words) {
      if (text.starts_with(word)) skipped = word.size();
    }
    if (skipped == 0) rest += text[0];
    text.remove_prefix(skipped == 0 ? 1 : skipped);
  }
  return rest;
}

}  // namespace

std::string classic_name(std::string_view full) {
  const std::string plain = demangled(full);
  std::string_view text = plain;
  constexpr std::string_view kVoid = "void ";
  if (text.starts_with(kVoid)) text.remove_prefix(kVoid.size());
  // Before the cuts: an anonymous namespace begins with the very character at which they cut.
  const std::string bare =
      without(text, {"at::native::", "<unnamed>::", "(anonymous namespace)::", "cutlass::"});
  const std::string_view cut = std::string_view(bare).substr(0, bare.find_first_of("<("));
  const std::string_view name = trimmed(cut);
  return name.empty() ? short_name(full) : std::string(name);
}

std::string table_name(std::string_view name) {
  constexpr std::string_view kDots = "...";
  std::size_t length = 0;
  std::size_t end = 0;  // of what is kept if the name is too long
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool begins_character = (static_cast<unsigned char>(name[at]) & 0xC0u) != 0x80u;
    if (!begins_character) continue;
    if (length == kTableNameLength - kDots.size()) end = at;
    if (length == kTableNameLength) return std::string(name.substr(0, end)).append(kDots);
    ++length;
  }
  return std::string(name);
}

std::string short_name(std::string_view full) {
  return std::string(qualified_name(demangled(full)).base);
}

std::string detail_name(std::string_view full) {
  const std::string plain = demangled(full);
  const QualifiedName name = qualified_name(plain);
  const std::string detail = kernel_detail(name.base, name.arguments);
  std::string text(name.base);
  return detail.empty() ? text : text.append("[").append(detail).append("]");
}

namespace {

using Arguments = std::vector<std::string_view>;

// Collects the parts of a detail: "add<f32>, vec4".
class Parts {
 public:
  void add(std::string_view part) {
    if (part.empty()) return;
    if (!text_.empty()) text_ += ", ";
    text_ += part;
  }
  void add(std::string_view before, std::string_view part, std::string_view behind = "") {
    if (!part.empty()) add(std::string(before).append(part).append(behind));
  }
  std::size_t size() const { return text_.size(); }
  std::string text() && { return std::move(text_); }

 private:
  std::string text_;
};

std::string_view argument(const Arguments& arguments, std::size_t index) {
  return index < arguments.size() ? arguments[index] : std::string_view();
}

std::string_view first_number(const Arguments& arguments) {
  for (const std::string_view one : arguments) {
    if (const std::string_view number = template_number(one); !number.empty()) return number;
  }
  return {};
}

std::string_view last_number(const Arguments& arguments) {
  return first_number(Arguments(arguments.rbegin(), arguments.rend()));
}

bool mentions(const Arguments& arguments, std::string_view word) {
  return std::ranges::any_of(
      arguments, [&](std::string_view one) { return qualified_name(one).base == word; });
}

// <vector width, functor, …> or <functor, …, vector width>
std::string vectorized(const Arguments& arguments) {
  Parts parts;
  parts.add(first_functor(arguments).text());
  const bool is_width_first = !template_number(argument(arguments, 0)).empty();
  parts.add("vec", is_width_first ? template_number(arguments[0]) : last_number(arguments));
  return std::move(parts).text();
}

std::string strided(const Arguments& arguments) {
  const Functor functor = first_functor(arguments);
  if (functor.operation.empty()) return "";
  return functor.text() + ", strided";
}

std::string unrolled(const Arguments& arguments) {
  Parts parts;
  parts.add(first_functor(arguments).text());
  if (mentions(arguments, "LoadWithCast") || mentions(arguments, "StoreWithCast")) {
    parts.add("cast");
  }
  return std::move(parts).text();
}

// <type, functor of the index>
std::string with_index(const Arguments& arguments) {
  Functor functor = first_functor(arguments);
  if (functor.type.empty()) functor.type = type_word(argument(arguments, 0));
  return functor.text();
}

// <type, unroll, …normal_and_transform<…, …exponential_kernel<…>…>…>: the inner function, if there
// is one, says what the uniform or normal numbers become.
std::string random_numbers(const Arguments& arguments) {
  constexpr std::string_view kTransform = "_and_transform";
  Functor outer = first_functor(arguments);
  std::string type = type_word(argument(arguments, 0));
  if (outer.operation.empty()) return type;
  if (const std::size_t end = outer.operation.find(kTransform); end != std::string::npos) {
    outer.operation.resize(end);
  }
  for (const std::string_view one : arguments) {
    for (const std::string_view inner : split_arguments(qualified_name(one).arguments)) {
      const std::string_view name = qualified_name(inner).base;
      if (name.ends_with("_kernel")) outer.operation = functor_of(inner).operation;
    }
  }
  outer.type = std::move(type);
  return "rng " + outer.text();
}

// <in, out, accumulator, log2 of the row, is a logarithm, …>
std::string warp_softmax(const Arguments& arguments) {
  Parts parts;
  const std::string in = type_word(argument(arguments, 0));
  const std::string out = type_word(argument(arguments, 1));
  if (!in.empty() && !out.empty()) parts.add(in + "→" + out);
  parts.add("acc ", type_word(argument(arguments, 2)));
  parts.add("2^", template_number(argument(arguments, 3)));
  if (template_number(argument(arguments, 4)) == "1") parts.add("log");
  return std::move(parts).text();
}

// <vector width, in, accumulator, out, epilogue>
std::string block_softmax(const Arguments& arguments) {
  Parts parts;
  const std::string in = type_word(argument(arguments, 1));
  const std::string out = type_word(argument(arguments, 3));
  if (!in.empty() && !out.empty()) parts.add(in + "→" + out);
  parts.add("acc ", type_word(argument(arguments, 2)));
  parts.add("vec", template_number(argument(arguments, 0)));
  if (argument(arguments, 4).find("LogSoftMax") != std::string_view::npos) parts.add("log");
  return std::move(parts).text();
}

// <traits<head size, rows, columns, warps, …, type, …>, has dropout, is causal, …>
std::string flash_attention(const Arguments& arguments) {
  const Arguments traits = split_arguments(qualified_name(argument(arguments, 0)).arguments);
  Parts parts;
  for (const std::string_view one : traits) {
    if (const std::string type = type_word(one); !type.empty()) {
      parts.add(type);
      break;
    }
  }
  parts.add("head ", template_number(argument(traits, 0)));
  const std::string_view rows = template_number(argument(traits, 1));
  const std::string_view columns = template_number(argument(traits, 2));
  if (!rows.empty() && !columns.empty()) {
    parts.add(std::string("tile ").append(rows).append("x").append(columns));
  }
  parts.add("", template_number(argument(traits, 3)), " warps");
  if (template_number(argument(arguments, 2)) == "1") parts.add("causal");
  return std::move(parts).text();
}

std::string functor_alone(const Arguments& arguments) { return first_functor(arguments).text(); }

// Types and numbers in order, as long as they fit a table's cell.
std::string types_and_numbers(const Arguments& arguments) {
  constexpr std::size_t kWidest = 48;
  Parts parts;
  for (const std::string_view one : arguments) {
    const std::string type = type_word(one);
    const std::string_view part = type.empty() ? template_number(one) : std::string_view(type);
    if (parts.size() + part.size() > kWidest) {
      parts.add("…");
      break;
    }
    parts.add(part);
  }
  return std::move(parts).text();
}

// <type, accumulator, is without mean>
std::string layer_norm(const Arguments& arguments) {
  Parts parts;
  parts.add(type_word(argument(arguments, 0)));
  parts.add("acc ", type_word(argument(arguments, 1)));
  if (template_number(argument(arguments, 2)) == "1") parts.add("rms");
  return std::move(parts).text();
}

std::string anything(const Arguments& arguments) {
  const std::string_view first = argument(arguments, 0);
  const bool is_name = template_number(first).empty() && type_word(first).empty();
  const QualifiedName traits = is_name ? qualified_name(first) : QualifiedName();
  if (traits.base.ends_with("Traits") || traits.base.ends_with("traits")) {
    return types_and_numbers(split_arguments(traits.arguments));
  }
  const Functor functor = first_functor(arguments);
  if (functor.operation.empty()) return types_and_numbers(arguments);
  // <type of the data, functor in the type it computes in>
  Parts parts;
  if (const std::string type = type_word(first); type != functor.type) parts.add(type);
  parts.add(functor.text());
  return std::move(parts).text();
}

// Kernels whose template arguments are known.
struct Layout {
  std::string_view base;
  std::string (*detail)(const Arguments&);
};
constexpr Layout kLayouts[] = {
    {"vectorized_elementwise_kernel", vectorized},
    {"VectorizedElementwiseKernel", vectorized},
    {"elementwise_kernel", strided},
    {"legacy_elementwise_kernel", strided},
    {"unrolled_elementwise_kernel", unrolled},
    {"elementwise_kernel_with_index", with_index},
    {"index_elementwise_kernel", functor_alone},
    {"distribution_elementwise_grid_stride_kernel", random_numbers},
    {"softmax_warp_forward", warp_softmax},
    {"softmax_warp_backward", warp_softmax},
    {"cunn_SoftMaxForward", block_softmax},
    {"cunn_SoftMaxBackward", block_softmax},
    {"cunn_SoftMaxForwardSmem", block_softmax},
    {"vectorized_layer_norm_kernel", layer_norm},
    {"layer_norm_grad_input_kernel_vectorized", layer_norm},
    {"flash_fwd_kernel", flash_attention},
    {"flash_fwd_splitkv_kernel", flash_attention},
    {"flash_bwd_dq_dk_dv_loop_seqk_parallel_kernel", flash_attention},
};

}  // namespace

std::string kernel_detail(std::string_view base, std::string_view arguments) {
  const Arguments list = split_arguments(arguments);
  const auto* const known = std::ranges::find(kLayouts, base, &Layout::base);
  return known == std::end(kLayouts) ? anything(list) : known->detail(list);
}

}  // namespace strobe::device
