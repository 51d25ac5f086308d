// A reader for the few forms that demangled kernel names have: scopes, template arguments, lambdas.
#include "analysis/report/kernel_signature.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace perfscope {
namespace {

constexpr int kDeepest = 40;  // nesting of a forged name must not exhaust the stack

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool opens(char c) {
  return c == '<' || c == '(' || c == '{' || c == '[';
}
bool closes(char c) {
  return c == '>' || c == ')' || c == '}' || c == ']';
}

// Splits where the separator stands outside all brackets; empty when the brackets do not match.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += opens(text[i]) ? 1 : closes(text[i]) ? -1 : 0;
    if (depth < 0) return {};
    if (depth > 0 || text.substr(i, separator.size()) != separator) continue;
    parts.push_back(trimmed(text.substr(begin, i - begin)));
    begin = i + separator.size();
    i = begin - 1;
  }
  if (depth != 0) return {};
  parts.push_back(trimmed(text.substr(begin)));
  return parts;
}

// One part of a scoped name: "ReduceOp<float, 4>" or "{lambda(float)#1}".
struct Part {
  std::string_view name, arguments, tail;  // tail: what follows the arguments, e.g. "*" or a parameter list
};

Part partOf(std::string_view text) {
  const size_t open = text.find_first_of("<(");
  if (open == std::string_view::npos || open == 0) return {text, {}, {}};
  if (text[open] == '(') return {text.substr(0, open), {}, text.substr(open)};
  int depth = 0;
  for (size_t i = open; i < text.size(); ++i) {
    depth += opens(text[i]) ? 1 : closes(text[i]) ? -1 : 0;
    if (depth == 0)
      return {text.substr(0, open), text.substr(open + 1, i - open - 1), trimmed(text.substr(i + 1))};
  }
  return {text, {}, {}};
}

bool isNumber(std::string_view text) {
  if (text == "true" || text == "false" || text.empty()) return true;
  const char c = text.front();
  return std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '(';  // "(SortOrder)0"
}

bool isScalar(std::string_view text) {
  constexpr auto kScalars = std::to_array<std::string_view>(
      {"float",    "double", "int",      "long",          "short",      "char",
       "bool",     "void",   "unsigned", "signed",        "long long",  "Half",
       "BFloat16", "half",   "half_t",   "bfloat16_t",    "__half",     "__nv_bfloat16",
       "complex",  "float2", "float4",   "Float8_e4m3fn", "Float8_e5m2"});
  const std::string_view word = text.substr(0, text.find_first_of("<*& "));
  return std::find(kScalars.begin(), kScalars.end(), word) != kScalars.end();
}

// Types that tell how a kernel is built, not what it computes.
bool isPlumbing(std::string_view name) {
  constexpr auto kFragments = std::to_array<std::string_view>(
      {"array",          "Array",      "OffsetCalculator", "LoadWith",   "StoreWith",
       "Metadata",       "traits",     "Traits",           "olicy",      "TensorInfo",
       "Accessor",       "Params",     "TileState",        "OpaqueType", "GeneratorImpl",
       "TensorIterator", "decomposer", "NullType",         "iterator",   "cublasGemvTensor",
       "InputValue"});
  return std::any_of(kFragments.begin(), kFragments.end(), [name](std::string_view fragment) {
    return name.find(fragment) != std::string_view::npos;
  });
}

// Around what is really computed: "gpu_kernel_impl_nocast<Add>(...)::{lambda(int)#1}" is Add.
bool isWrapper(std::string_view name) {
  constexpr auto kWrappers = std::to_array<std::string_view>(
      {"gpu_kernel_impl", "gpu_kernel_impl_nocast", "gpu_index_kernel", "func_wrapper_t", "ReduceOp"});
  return std::find(kWrappers.begin(), kWrappers.end(), name) != kWrappers.end();
}

// Frames around a functor whose names would fill a column by themselves.
std::string_view shortFrame(std::string_view name) {
  constexpr auto kFrames = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"vectorized_elementwise_kernel", "elementwise"},
       {"unrolled_elementwise_kernel", "unrolled_elementwise"},
       {"distribution_elementwise_grid_stride_kernel", "distribution"},
       {"multi_tensor_apply_kernel", "multi_tensor"},
       {"reduce_kernel", "reduce"}});
  for (const auto& [frame, brief] : kFrames) {
    if (name == frame) return brief;
  }
  return name;
}

// "CUDAFunctor_add" is add, "GeluCUDAKernelImpl" is Gelu, "direct_copy_kernel_cuda" is direct_copy.
std::string_view shortFunctor(std::string_view name) {
  constexpr auto kEndings =
      std::to_array<std::string_view>({"_kernel_cuda", "_cuda_kernel", "CUDAKernelImpl", "_kernel_impl",
                                       "KernelImpl", "_functor", "Functor"});
  constexpr auto kBeginnings = std::to_array<std::string_view>({"CUDAFunctor_", "CUDAFunctor"});
  for (const std::string_view ending : kEndings) {
    if (name.size() <= ending.size() || !name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    break;
  }
  for (const std::string_view beginning : kBeginnings) {
    if (name.size() > beginning.size() && name.starts_with(beginning)) return name.substr(beginning.size());
  }
  return name;
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& entry : list) text += (text.empty() ? "" : ", ") + entry;
  return text;
}

class Reader {
 public:
  explicit Reader(SignatureDetail detail)
      : m_all(detail >= SignatureDetail::Everything), m_brief(detail == SignatureDetail::Functor) {}

  // One type or function, without namespaces; empty when it is left out.
  std::string type(std::string_view text, int depth) const {
    text = trimmed(text);
    if (depth > kDeepest) return std::string(text);
    if (isNumber(text)) return m_all ? std::string(text) : "";
    std::string_view named, lambda;
    for (const std::string_view part : split(text, "::")) {
      if (part.rfind("{lambda(", 0) == 0) {
        lambda = part;
      } else if (part.rfind("operator", 0) != 0 && !part.empty()) {
        named = part;
        lambda = {};
      }
    }
    if (named.empty()) return std::string(text);
    return render(partOf(named), lambda, depth);
  }

  // Those that are kept, each once where not everything is wanted.
  std::vector<std::string> types(std::string_view arguments, int depth) const {
    std::vector<std::string> list;
    for (const std::string_view argument : split(arguments, ",")) {
      std::string text = type(argument, depth + 1);
      if (text.empty() || (!m_all && isPlumbing(text.substr(0, text.find_first_of("<("))))) continue;
      if (m_all || std::find(list.begin(), list.end(), text) == list.end()) list.push_back(std::move(text));
    }
    return list;
  }

 private:
  std::string render(const Part& part, std::string_view lambda, int depth) const {
    const std::vector<std::string> arguments = types(part.arguments, depth);
    if (!m_all && isWrapper(part.name)) {
      for (const std::string& inner : arguments) {
        if (!isScalar(inner)) return inner;
      }
    }
    std::string result(m_brief ? shortFunctor(part.name) : part.name);
    if (!arguments.empty()) result += "<" + joined(arguments) + ">";
    if (!part.tail.empty() && part.tail.front() != '(') result += std::string(part.tail);
    if (lambda.empty() || (!m_all && !arguments.empty())) return result;
    // "{lambda(c10::BFloat16)#1}": the type it works on; the number only where everything is wanted.
    const size_t open = lambda.find('('), close = lambda.rfind(')');
    result += "(" + joined(types(lambda.substr(open + 1, close - open - 1), depth)) + ")";
    if (m_all) result += std::string(lambda.substr(close + 1, lambda.size() - close - 2));
    return result;
  }

  bool m_all, m_brief;
};

// Without "void ", "(anonymous namespace)::" and the parameters; empty when it cannot be read.
std::string core(std::string_view name) {
  constexpr std::string_view kVoid = "void ", kAnonymous = "(anonymous namespace)::";
  if (name.rfind(kVoid, 0) == 0) name.remove_prefix(kVoid.size());
  std::string text(name);
  for (size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous, at))
    text.erase(at, kAnonymous.size());
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(' && depth == 0 && i > 0) return text.substr(0, i);
    depth += opens(text[i]) ? 1 : closes(text[i]) ? -1 : 0;
    if (depth < 0) return {};
  }
  return depth == 0 ? text : std::string();
}

// Scalars, and what is built from the first functor and so repeats it.
void dropAllButFunctors(std::vector<std::string>& arguments) {
  std::erase_if(arguments, [](const std::string& argument) { return isScalar(argument); });
  if (arguments.empty()) return;
  const std::string first = arguments.front().substr(0, arguments.front().find_first_of("<("));
  const auto repeats = [&](const std::string& argument) { return argument.find(first) != std::string::npos; };
  arguments.erase(std::remove_if(arguments.begin() + 1, arguments.end(), repeats), arguments.end());
}

}  // namespace

std::string kernelSignature(std::string_view demangled, SignatureDetail detail) {
  const std::string text = detail == SignatureDetail::FullName ? std::string() : core(demangled);
  const auto scopes = split(text, "::");
  if (text.empty() || scopes.empty() || scopes.back().empty()) return std::string(demangled);
  const Part kernel = partOf(scopes.back());
  if (kernel.name.empty() || isNumber(kernel.name) || opens(kernel.name.front()))
    return std::string(demangled);
  std::vector<std::string> arguments = Reader(detail).types(kernel.arguments, 0);
  if (detail == SignatureDetail::Functor) dropAllButFunctors(arguments);
  // cutlass::Kernel2<X>: X is the kernel.
  if (kernel.name.rfind("Kernel", 0) == 0 && arguments.size() == 1) return arguments.front();
  const bool brief = detail == SignatureDetail::Functor && !arguments.empty();
  std::string result(brief ? shortFrame(kernel.name) : kernel.name);
  if (!arguments.empty()) result += "<" + joined(arguments) + ">";
  return result;
}

}  // namespace perfscope
