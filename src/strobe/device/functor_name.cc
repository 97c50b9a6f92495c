#include "strobe/device/functor_name.h"

#include <algorithm>
#include <initializer_list>

#include "strobe/base/text.h"
#include "strobe/device/name_parts.h"

namespace strobe::device {
namespace {

constexpr int kDeepest = 6;  // nested shells; deeper names are not read

// Classes and functions around the operation: it is one of their template arguments.
struct Shell {
  std::string_view name;
  std::string_view before;  // put around the operation's name
  std::string_view behind;
};
constexpr Shell kShells[] = {
    {"BinaryFunctor", "", ""},        {"AUnaryFunctor", "scalar_", ""},
    {"BUnaryFunctor", "", "_scalar"}, {"ReduceOp", "", ""},
    {"func_wrapper_t", "", ""},       {"gpu_kernel_impl_nocast", "", ""},
    {"gpu_kernel_impl", "", ""},      {"gpu_index_kernel", "", ""},
    {"TensorEvaluator", "", ""},      {"TensorAssignOp", "", ""},
    {"enable_sm90_or_later", "", ""}, {"enable_sm90_only", "", ""},
    {"enable_sm100_only", "", ""},
};

// Functors over lists of tensors: the operation is the next argument of the kernel.
constexpr Shell kListShells[] = {
    {"UnaryOpFunctor", "", ""},
    {"BinaryOpListAlphaFunctor", "", "_list"},
    {"BinaryOpScalarFunctor", "", "_scalar"},
    {"BinaryOpScalarListFunctor", "", "_scalar_list"},
    {"BinaryOpScalarTensorFunctor", "", "_scalar_tensor"},
    {"PointwiseOpScalarFunctor", "addc", "_scalar"},
    {"PointwiseOpScalarListFunctor", "addc", "_scalar_list"},
    {"PointwiseOpListFunctor", "addc", "_list"},
    {"TernaryOpListFunctor", "", "_list"},
    {"TernaryOpScalarFunctor", "", "_scalar"},
    {"TernaryOpScalarListFunctor", "", "_scalar_list"},
};

// Types that say where elements are and how they are loaded, not what is computed.
constexpr std::string_view kPlumbing[] = {
    "array",
    "Array",
    "OffsetCalculator",
    "TrivialOffsetCalculator",
    "LoadWithCast",
    "LoadWithoutCast",
    "StoreWithCast",
    "StoreWithoutCast",
    "TensorInfo",
    "TensorMap",
    "GpuDevice",
    "ScanTileState",
    "NullType",
    "InputValue",
    "identity_decomposer_t",
    "VSMemHelper",
    "integral_constant",
    "void",
};

struct Operation {
  std::string_view name;
  std::string_view meaning;
};
constexpr Operation kOperations[] = {
    {"multiplies", "mul"},
    {"plus", "add"},
    {"minus", "sub"},
    {"divides", "div"},
    {"Sum", "sum"},
    {"ArgMaxOps", "argmax"},
    {"ArgMinOps", "argmin"},
    {"direct_copy_kernel_cuda", "copy"},
    {"copy_device_to_device", "copy"},
};

template <class Entry, std::size_t size, class Key>
const Entry* find_entry(const Entry (&table)[size], std::string_view name, Key key) {
  const auto* const found = std::ranges::find(table, name, key);
  return found == std::end(table) ? nullptr : found;
}

// "MulScalar" is "mul_scalar", "ArgMax" "arg_max", "GELU" "gelu".
std::string snake_case(std::string_view name) {
  std::string words;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (is_upper(name[i]) && i > 0 && (is_lower(name[i - 1]) || is_digit(name[i - 1])))
      words += '_';
    words += lower(name[i]);
  }
  return words;
}

bool drop_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size()) return false;
  name.remove_prefix(prefix.size());
  return true;
}

bool drop_suffix(std::string_view& name, std::string_view suffix) {
  if (!name.ends_with(suffix) || name.size() == suffix.size()) return false;
  name.remove_suffix(suffix.size());
  return true;
}

// Without the parts that only say that it is a functor, or for which device.
std::string operation_word(std::string_view name) {
  if (const Operation* const known = find_entry(kOperations, name, &Operation::name)) {
    return std::string(known->meaning);
  }
  const bool is_on_self = drop_prefix(name, "CUDAFunctorOnSelf_");
  if (!is_on_self) drop_prefix(name, "CUDAFunctor_");
  drop_prefix(name, "_cuda_");
  for (const std::string_view noise :
       {"_impl", "_cuda_out", "_cuda", "_gpu", "_kernel", "_functor"}) {
    drop_suffix(name, noise);
  }
  std::string word(name);
  for (const std::string_view noise : {"Functor", "Ops", "Op", "Epilogue"}) {
    if (!drop_suffix(name, noise)) continue;
    word = snake_case(name);
    break;
  }
  return is_on_self ? word + "_scalar" : word;
}

// Whether it is a name at all, and not a function type (`void (*)(int)`) or a broken piece.
bool is_name(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_letter_or_digit(c) || c == '_'; });
}

bool is_plumbing(std::string_view name) {
  return std::ranges::find(kPlumbing, name) != std::end(kPlumbing) || name.starts_with("Policy") ||
         name.starts_with("cublas") || name.ends_with("iterator") || name.ends_with("Metadata") ||
         name.ends_with("Params");
}

std::string first_type(const std::vector<std::string_view>& arguments) {
  for (const std::string_view argument : arguments) {
    if (std::string word = type_word(argument); !word.empty()) return word;
  }
  return "";
}

// What the innermost lambda takes first: `…::{lambda(c10::Half)#1}`, `…::[lambda(float) (instance
// 1)]`.
std::string lambda_type(std::string_view argument) {
  constexpr std::string_view kLambda = "lambda(";
  const std::size_t lambda = argument.rfind(kLambda);
  if (lambda == std::string_view::npos) return "";
  const std::string_view rest = argument.substr(lambda + kLambda.size());
  return type_word(rest.substr(0, rest.find_first_of(",)")));
}

// `&(float silu<float>(float const&))`
std::string_view without_address_of(std::string_view argument) {
  if (!drop_prefix(argument, "&")) return argument;
  if (argument.starts_with('(') && argument.ends_with(')')) {
    argument = argument.substr(1, argument.size() - 2);
  }
  return argument;
}

bool is_none(std::string_view argument) {
  return argument.empty() || argument.ends_with('*') || argument.ends_with("...") ||
         !template_number(argument).empty() || !type_word(argument).empty();
}

std::string_view without_trailing_const(std::string_view argument) {
  drop_suffix(argument, " const");
  return argument;
}

std::string around(const Shell& shell, std::string_view operation) {
  return std::string(shell.before).append(operation).append(shell.behind);
}

Functor read_functor(std::string_view argument, int depth);

Functor first_readable(const std::vector<std::string_view>& arguments, int depth) {
  for (const std::string_view argument : arguments) {
    if (Functor functor = read_functor(argument, depth); !functor.operation.empty()) return functor;
  }
  return {};
}

Functor read_functor(std::string_view argument, int depth) {
  argument = without_trailing_const(without_address_of(argument));
  if (depth > kDeepest || is_none(argument)) return {};
  const QualifiedName name = qualified_name(argument);
  if (!is_name(name.base) || is_plumbing(name.base)) return {};
  const std::vector<std::string_view> arguments = split_arguments(name.arguments);
  if (const Shell* const shell = find_entry(kShells, name.base, &Shell::name)) {
    Functor inner = first_readable(arguments, depth + 1);
    if (inner.operation.empty()) return {};
    const std::string type = first_type(arguments);
    return {around(*shell, inner.operation), type.empty() ? inner.type : type};
  }
  Functor functor{operation_word(name.base), first_type(arguments)};
  // Copies are distinguished by what they copy.
  const bool is_copy = functor.operation.find("copy") != std::string::npos;
  if (functor.type.empty() && is_copy) functor.type = lambda_type(argument);
  return functor;
}

}  // namespace

std::string Functor::text() const {
  return type.empty() || operation.empty() ? operation : operation + "<" + type + ">";
}

Functor functor_of(std::string_view argument) { return read_functor(argument, 0); }

Functor first_functor(const std::vector<std::string_view>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (is_none(arguments[i])) continue;
    const QualifiedName name = qualified_name(arguments[i]);
    const Shell* const shell = find_entry(kListShells, name.base, &Shell::name);
    if (shell == nullptr || i + 1 == arguments.size()) {
      if (Functor functor = functor_of(arguments[i]); !functor.operation.empty()) return functor;
      continue;
    }
    const Functor operation = functor_of(arguments[i + 1]);
    if (operation.operation.empty()) continue;
    return {around(*shell, snake_case(operation.operation)),
            first_type(split_arguments(name.arguments))};
  }
  return {};
}

}  // namespace strobe::device
