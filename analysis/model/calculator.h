// The calculators behind `perfscope calc NAME key=value ...`: what one is, the list of all, and evaluating
// one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/hardware/precision.h"
#include "schemas/result.h"

namespace perfscope::model {

// Whose peak `gpu=` stands for where no `precision=` is given.
inline constexpr hardware::Precision kDefaultPrecision = hardware::Precision::Fp16Tensor;

// What values an input accepts.
enum class Domain : std::uint8_t {
  Positive,     // > 0
  NonNegative,  // >= 0
  Count,        // whole, >= 1
  Whole,        // whole, >= 0
  Fraction,     // 0 .. 1
};

// Which cell of the hardware catalogue fills an input when `gpu=` is given.
enum class GpuCell : std::uint8_t {
  None,
  Peak,       // of `precision=`, kDefaultPrecision unless given
  Bandwidth,  // DRAM
  Memory,     // capacity
  Nvlink,     // one direction
  SmCount,
  Capability,  // 9.0 as a number
  Tdp,
};

struct InputSpec {
  std::string_view name;
  std::string_view unit;  // as parseQuantity() takes it
  Domain domain = Domain::Positive;
  std::string_view doc;
  std::string_view default_text;  // "" = none
  GpuCell from_gpu = GpuCell::None;
  bool optional = false;  // may be absent altogether
};

// The validated inputs of one evaluation. Reading an input that the calculator does not declare, or an
// optional one that is absent, through operator[] gives NaN, which evaluate() turns into an error.
class Inputs {
 public:
  [[nodiscard]] bool has(std::string_view name) const { return m_values.find(name) != m_values.end(); }
  [[nodiscard]] double operator[](std::string_view name) const;
  [[nodiscard]] std::int64_t whole(std::string_view name) const;
  void set(std::string_view name, double value) { m_values.insert_or_assign(std::string(name), value); }

 private:
  std::map<std::string, double, std::less<>> m_values;
};

struct NamedValue {
  std::string name;
  double value = 0;
  std::string
      unit;  // base units as in parseQuantity(); "share" is 1 = 100 %, "x" a ratio, "count" a whole number
  std::string formula;  // how it was computed, in the names of the inputs
  std::string note;     // a verdict or a warning; may be empty
};

struct Calculator {
  std::string_view name;
  std::string_view doc;      // the question it answers
  std::string_view example;  // arguments that work: "gpu=H200 precision=fp8_tensor"
  std::vector<InputSpec> inputs;
  Result<std::vector<NamedValue>> (*compute)(const Inputs& inputs);

  // True when `gpu=` can fill at least one input.
  [[nodiscard]] bool takesGpu() const;
};

// All calculators, by topic. The list lives until the program ends; safe from any thread.
[[nodiscard]] const std::vector<Calculator>& calculators();

// Error: Usage, lists the names.
[[nodiscard]] Result<const Calculator*> findCalculator(std::string_view name);

struct ResolvedInput {
  std::string name;
  double value = 0;
  std::string unit;
  std::string source;  // "given", "given without a unit, taken as FLOP/s", "default", "datasheet of H200 SXM"
};

struct Evaluation {
  std::vector<ResolvedInput> inputs;
  std::vector<NamedValue> values;
};

using Arguments = std::map<std::string, std::string, std::less<>>;

// "key=value" words into arguments. Error: Usage for a word without '=', an empty key or value, a key given
// twice.
[[nodiscard]] Result<Arguments> parseArguments(const std::vector<std::string>& words);

// Evaluates with arguments as text: values as parseQuantity() reads them, plus `gpu=SPEC` and
// `precision=NAME` where takesGpu(). What is given wins over the catalogue, the catalogue over the default.
// Pure but for the built-in catalogue. Errors are Usage (unknown key, missing input, text that is no number,
// value outside its domain, inputs for which a result is not finite; each says what is valid or where it
// stands) or Unavailable (an unknown cell of the catalogue, a launch that cannot run).
[[nodiscard]] Result<Evaluation> evaluate(const Calculator& calculator, const Arguments& arguments);

}  // namespace perfscope::model
