// Evaluating a calculator: resolve every input (given, catalogue, default), check it, compute, check the
// answers.
#include "analysis/model/calculator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/hardware/catalogue.h"
#include "analysis/model/quantity.h"

namespace perfscope::model {
namespace {

constexpr std::string_view kGpuKey = "gpu";
constexpr std::string_view kPrecisionKey = "precision";
constexpr double kLargestWhole = 9007199254740992.0;  // 2^53: above it a double no longer counts

std::string inputNames(const Calculator& calculator) {
  std::string text;
  for (const InputSpec& input : calculator.inputs)
    text += (text.empty() ? "" : ", ") + std::string(input.name);
  return text + (calculator.takesGpu() ? ", gpu, precision" : "");
}

// What helps with any wrong argument: the place where the inputs are explained, and a line to start from.
std::string explained(const Calculator& calculator) {
  return fmt::format("`perfscope calc {0}` explains the inputs; example: perfscope calc {0} {1}",
                     calculator.name, calculator.example);
}

tl::unexpected<Error> misuse(const Calculator& calculator, std::string reason, std::string remedy = {}) {
  return failure(ErrorKind::Usage, fmt::format("calc {}", calculator.name), std::move(reason),
                 remedy.empty() ? explained(calculator) : std::move(remedy));
}

std::optional<std::string> domainProblem(double value, Domain domain) {
  switch (domain) {
    case Domain::Positive:
      return value > 0 ? std::nullopt : std::optional<std::string>("must be greater than 0");
    case Domain::NonNegative:
      return value >= 0 ? std::nullopt : std::optional<std::string>("must not be negative");
    case Domain::Fraction:
      return value >= 0 && value <= 1 ? std::nullopt : std::optional<std::string>("must be between 0 and 1");
    case Domain::Count:
    case Domain::Whole: {
      const double least = domain == Domain::Count ? 1 : 0;
      const bool fits = value >= least && value <= kLargestWhole && value == std::floor(value);
      return fits ? std::nullopt
                  : std::optional<std::string>(fmt::format("must be a whole number from {}", least));
    }
  }
  return "has an unknown domain";
}

Result<hardware::Ceiling> orUnknown(const std::optional<double>& cell, const hardware::HardwareSpec& spec,
                                    std::string_view what) {
  if (cell) return hardware::Ceiling{*cell, "datasheet", ""};
  return failure(ErrorKind::Unavailable, spec.name, fmt::format("{} is not known for this product", what));
}

Result<hardware::Ceiling> readCell(const hardware::HardwareSpec& spec, GpuCell cell,
                                   hardware::Precision precision) {
  switch (cell) {
    case GpuCell::Peak:
      return hardware::datasheetPeak(spec, precision);
    case GpuCell::Bandwidth:
      return hardware::datasheetBandwidth(spec);
    case GpuCell::Memory:
      return orUnknown(spec.memory_bytes, spec, "the memory capacity");
    case GpuCell::Nvlink:
      return orUnknown(spec.nvlink_bytes_per_s, spec, "NVLink bandwidth");
    case GpuCell::SmCount:
      return orUnknown(spec.sm_count, spec, "the number of SMs");
    case GpuCell::Tdp:
      return orUnknown(spec.tdp_w, spec, "the power limit");
    case GpuCell::Capability: {
      const auto capability = spec.cudaCapability();
      const auto number =
          capability ? std::optional<double>(capability->major + capability->minor / 10.0) : std::nullopt;
      return orUnknown(number, spec, "a CUDA compute capability");
    }
    case GpuCell::None:
      break;
  }
  return orUnknown(std::nullopt, spec, "this figure");
}

// Resolves the inputs of one evaluation; lives for one call of evaluate().
class InputResolver {
 public:
  InputResolver(const Calculator& calculator, const Arguments& arguments)
      : m_calculator(calculator), m_arguments(arguments) {}

  Status resolve(Inputs& inputs, std::vector<ResolvedInput>& resolved) {
    if (auto status = checkKeys(); !status) return status;
    if (auto status = findGpu(); !status) return status;
    for (const InputSpec& input : m_calculator.inputs) {
      auto value = resolveOne(input);
      if (!value) return tl::unexpected<Error>(value.error());
      if (!*value) continue;
      inputs.set(input.name, (*value)->value);
      resolved.push_back(std::move(**value));
    }
    return {};
  }

 private:
  Status checkKeys() const {
    for (const auto& [key, value] : m_arguments) {
      const bool gpu_key = m_calculator.takesGpu() && (key == kGpuKey || key == kPrecisionKey);
      const bool known = std::any_of(m_calculator.inputs.begin(), m_calculator.inputs.end(),
                                     [&name = key](const InputSpec& input) { return input.name == name; });
      if (!gpu_key && !known) {
        return misuse(m_calculator, fmt::format("it has no input '{}'", key),
                      fmt::format("its inputs are {}; `perfscope calc {}` explains them",
                                  inputNames(m_calculator), m_calculator.name));
      }
    }
    return {};
  }

  Status findGpu() {
    const auto precision = m_arguments.find(kPrecisionKey);
    const auto gpu = m_arguments.find(kGpuKey);
    if (gpu == m_arguments.end() || !m_calculator.takesGpu()) {
      if (precision == m_arguments.end()) return {};
      return misuse(m_calculator, "'precision' chooses a peak of the catalogue and needs 'gpu'");
    }
    const auto spec = hardware::findSpec(gpu->second);
    if (!spec) return tl::unexpected<Error>(spec.error());
    m_spec = *spec;
    if (precision == m_arguments.end()) return {};
    const auto parsed = hardware::parsePrecision(precision->second);
    if (!parsed) return tl::unexpected<Error>(parsed.error());
    m_precision = *parsed;
    return {};
  }

  // Empty for an optional input that nobody gives.
  Result<std::optional<ResolvedInput>> resolveOne(const InputSpec& input) const {
    const std::string unit(input.unit);
    const auto given = m_arguments.find(input.name);
    if (given != m_arguments.end()) return parsed(input, given->second, sourceOfGiven(input, given->second));
    if (m_spec && input.from_gpu != GpuCell::None) {
      const auto cell = readCell(*m_spec, input.from_gpu, m_precision);
      if (cell) return ResolvedInput{std::string(input.name), cell->value, unit, sourceOf(input, *cell)};
      if (!input.optional) return tl::unexpected<Error>(cell.error());
    }
    if (!input.default_text.empty()) return parsed(input, input.default_text, "default");
    if (input.optional) return std::optional<ResolvedInput>();
    return misuse(m_calculator, fmt::format("input '{}' is missing ({})", input.name, input.doc));
  }

  Result<std::optional<ResolvedInput>> parsed(const InputSpec& input, std::string_view text,
                                              std::string_view source) const {
    const auto value = parseQuantity(text, input.unit);
    if (!value) {
      return misuse(m_calculator, fmt::format("input '{}={}': {}", input.name, text, value.error().reason),
                    value.error().remedy);
    }
    if (const auto problem = domainProblem(*value, input.domain)) {
      return misuse(m_calculator, fmt::format("input '{}' is {} but {}", input.name, text, *problem));
    }
    return ResolvedInput{std::string(input.name), *value, std::string(input.unit), std::string(source)};
  }

  // A bare number of a quantity that has a unit is often one whose prefix was forgotten: "peak=989".
  static std::string sourceOfGiven(const InputSpec& input, std::string_view text) {
    const bool assumed = !input.unit.empty() && isBareNumber(text);
    return assumed ? fmt::format("given without a unit, taken as {}", input.unit) : std::string("given");
  }

  [[nodiscard]] std::string sourceOf(const InputSpec& input, const hardware::Ceiling& cell) const {
    std::string source = fmt::format("{} of {}", cell.provenance, m_spec->name);
    if (input.from_gpu == GpuCell::Peak) source += fmt::format(", {}", hardware::name(m_precision));
    if (!cell.note.empty()) source += fmt::format(" ({})", cell.note);
    return source;
  }

  const Calculator& m_calculator;
  const Arguments& m_arguments;
  const hardware::HardwareSpec* m_spec = nullptr;
  hardware::Precision m_precision = kDefaultPrecision;
};

}  // namespace

double Inputs::operator[](std::string_view name) const {
  const auto found = m_values.find(name);
  return found == m_values.end() ? std::numeric_limits<double>::quiet_NaN() : found->second;
}

std::int64_t Inputs::whole(std::string_view name) const {
  const double value = (*this)[name];
  return std::isfinite(value) && std::abs(value) <= kLargestWhole ? static_cast<std::int64_t>(value) : -1;
}

bool Calculator::takesGpu() const {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const InputSpec& input) { return input.from_gpu != GpuCell::None; });
}

Result<const Calculator*> findCalculator(std::string_view name) {
  std::string names;
  for (const Calculator& calculator : calculators()) {
    if (calculator.name == name) return &calculator;
    names += (names.empty() ? "" : ", ") + std::string(calculator.name);
  }
  return failure(ErrorKind::Usage, fmt::format("calc {}", name), "no such calculator", "use one of " + names);
}

Result<Arguments> parseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals != std::string::npos && equals != 0 && equals + 1 == word.size()) {
      return failure(ErrorKind::Usage, fmt::format("'{}'", word), "there is no value behind the =",
                     fmt::format("write a value, or leave {} out", word.substr(0, equals)));
    }
    if (equals == std::string::npos || equals == 0) {
      return failure(ErrorKind::Usage, fmt::format("'{}'", word), "this is not key=value",
                     "write for example bandwidth=3.35T");
    }
    if (!arguments.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
      return failure(ErrorKind::Usage, fmt::format("'{}'", word), "the key is given twice", "give it once");
    }
  }
  return arguments;
}

Result<Evaluation> evaluate(const Calculator& calculator, const Arguments& arguments) {
  Evaluation evaluation;
  Inputs inputs;
  const auto status = InputResolver(calculator, arguments).resolve(inputs, evaluation.inputs);
  if (!status) return tl::unexpected<Error>(status.error());
  auto values = calculator.compute(inputs);
  if (!values) return tl::unexpected<Error>(values.error());
  for (const NamedValue& value : *values) {
    if (!std::isfinite(value.value)) {
      return misuse(calculator,
                    fmt::format("'{}' has no finite value for these inputs ({})", value.name, value.formula),
                    "look for an input that is far too large or too small, or that makes a divisor 0");
    }
  }
  evaluation.values = std::move(*values);
  return evaluation;
}

}  // namespace perfscope::model
