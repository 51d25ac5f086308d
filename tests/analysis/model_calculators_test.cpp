// The calculators as a whole: each example works, wrong arguments are errors that say what is valid, the
// catalogue fills in.
#include <cmath>
#include <set>

#include "analysis/model/scaling_formulas.h"
#include "analysis/model/transformer_formulas.h"
#include "tests/analysis/model_calc_case.h"

namespace perfscope::test {
namespace {

using model::Calculator;
using model::calculators;

std::string errorOf(const std::string& command) {
  const auto evaluation = calculate(command);
  return evaluation ? "" : evaluation.error().sentence();
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Calculators, NamesAreUniqueAndDocumented) {
  std::set<std::string_view> names;
  for (const Calculator& calculator : calculators()) {
    SCOPED_TRACE(calculator.name);
    EXPECT_TRUE(names.insert(calculator.name).second);
    EXPECT_FALSE(calculator.doc.empty());
    std::set<std::string_view> inputs;
    for (const model::InputSpec& input : calculator.inputs) {
      EXPECT_TRUE(inputs.insert(input.name).second) << input.name;
      EXPECT_FALSE(input.doc.empty()) << input.name;
    }
  }
  for (const char* name : {"ridge", "decode", "ring", "mfu", "kv", "speculative", "amdahl"}) {
    EXPECT_EQ(names.count(name), 1u) << name;  // the list of the command-line specification
  }
}

TEST(Calculators, EveryExampleWorksAndEveryValueHasItsFormula) {
  for (const Calculator& calculator : calculators()) {
    SCOPED_TRACE(calculator.name);
    const auto evaluation = calculate(std::string(calculator.name) + " " + std::string(calculator.example));
    ASSERT_TRUE(evaluation) << evaluation.error().sentence();
    EXPECT_FALSE(evaluation->values.empty());
    std::set<std::string> names;
    for (const model::NamedValue& value : evaluation->values) {
      EXPECT_TRUE(names.insert(value.name).second) << value.name;
      EXPECT_FALSE(value.formula.empty()) << value.name;
      EXPECT_FALSE(value.unit.empty()) << value.name;
      EXPECT_TRUE(std::isfinite(value.value)) << value.name;
    }
  }
}

// Each required input is really required: leaving out any argument of the example that has no default is an
// error.
TEST(Calculators, MissingInputsAreErrors) {
  for (const Calculator& calculator : calculators()) {
    const std::string error = errorOf(std::string(calculator.name));
    EXPECT_TRUE(contains(error, "is missing")) << calculator.name;
    EXPECT_TRUE(contains(error, "example: perfscope calc " + std::string(calculator.name) + " " +
                                    std::string(calculator.example)))
        << error;
  }
}

TEST(Calculators, WrongArgumentsSayWhatIsValid) {
  EXPECT_TRUE(contains(errorOf("rigde peak=1 bandwidth=1"), "use one of ridge"));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T band=1T"), "no input 'band'"));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T band=1T"), "its inputs are peak, bandwidth, gpu, precision;"));
  EXPECT_TRUE(contains(errorOf("ridge peak=fast bandwidth=1T"), "input 'peak=fast': it does not begin"));
  EXPECT_TRUE(contains(errorOf("ridge peak=0 bandwidth=1T"), "greater than 0"));
  EXPECT_TRUE(contains(errorOf("ridge peak=-1T bandwidth=1T"), "greater than 0"));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T bandwidth"), "not key=value"));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T bandwidth="), "no value behind the ="));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T peak=2T"), "given twice"));
  EXPECT_TRUE(contains(errorOf("gemm m=1.5 n=1 k=1"), "whole number"));
  EXPECT_TRUE(contains(errorOf("gemm m=1e30 n=1 k=1"), "whole number"));
  EXPECT_TRUE(contains(errorOf("amdahl share=140% factor=2"), "between 0 and 1"));
  EXPECT_TRUE(contains(errorOf("kv tokens=10 used_tokens=20 layers=1 kv_heads=1 head_dim=1"), "exceeds"));
  EXPECT_TRUE(contains(errorOf("share speedup=1.05 factor=1"), "no finite value"));
  EXPECT_TRUE(contains(errorOf("tax fleet=0 node=0"), "no finite value"));
  EXPECT_TRUE(contains(errorOf("occupancy cc=5.2 registers=32 threads=32"), "not known"));
  EXPECT_TRUE(contains(errorOf("occupancy cc=1e300 registers=32 threads=32"), "not known"));
  EXPECT_TRUE(contains(errorOf("occupancy cc=9.0 registers=1e12 threads=32"), "too large"));
}

// One remedy each, whatever went wrong.
TEST(Calculators, AnErrorHasOneRemedy) {
  for (const char* command :
       {"decode params=70q bandwidth=1T", "decode params=", "decode params", "decode nonsense=1",
        "decode params=-1", "ridge peak=1gb bandwidth=1T", "ridge peak=1e308 bandwidth=1e-300", "decode"}) {
    const std::string error = errorOf(command);
    const auto at = error.find("(remedy: ");
    EXPECT_NE(at, std::string::npos) << command << ": " << error;
    EXPECT_EQ(error.find("remedy", at + 9), std::string::npos) << error;
  }
}

// Numbers that only overflow inside the formula are wrong input, not a missing part of the machine.
TEST(Calculators, OverflowIsWrongUsage) {
  for (const char* command :
       {"ridge peak=1e308 bandwidth=1e-300", "decode params=1e308 bandwidth=1T",
        "share speedup=1.05 factor=1", "gemm m=9007199254740992 n=1 k=1 elem_bytes=1e308"}) {
    const auto evaluation = calculate(command);
    ASSERT_FALSE(evaluation) << command;
    EXPECT_EQ(evaluation.error().kind, ErrorKind::Usage) << evaluation.error().sentence();
    EXPECT_TRUE(contains(evaluation.error().reason, "no finite value")) << evaluation.error().sentence();
  }
}

TEST(Calculators, AMissingUnitIsRemarked) {
  const auto evaluation = calculate("ridge peak=989 bandwidth=3.35T");
  ASSERT_TRUE(evaluation);
  EXPECT_EQ(evaluation->inputs[0].source, "given without a unit, taken as FLOP/s");
  EXPECT_EQ(evaluation->inputs[1].source, "given");
  EXPECT_EQ(calculate("amdahl share=0.5 factor=2")->inputs[0].source, "given");  // has no unit
}

TEST(Calculators, CatalogueFillsWhatIsNotGiven) {
  const auto evaluation = calculate("ridge gpu=H200 precision=fp8_tensor");
  ASSERT_TRUE(evaluation) << evaluation.error().sentence();
  EXPECT_NEAR(evaluation->values[0].value, 412.3, 0.4);  // worked examples 4.1
  ASSERT_EQ(evaluation->inputs.size(), 2u);
  EXPECT_EQ(evaluation->inputs[0].source, "datasheet:halved_sparse of H200 SXM 141GB, fp8_tensor");
  EXPECT_EQ(evaluation->inputs[1].source, "datasheet of H200 SXM 141GB");
  const auto mixed = calculate("ridge gpu=H200 bandwidth=4T");
  ASSERT_TRUE(mixed);
  EXPECT_DOUBLE_EQ(mixed->values[0].value, 989.5 / 4);
  EXPECT_EQ(mixed->inputs[1].source, "given");
}

TEST(Calculators, CatalogueErrorsPassThrough) {
  EXPECT_TRUE(contains(errorOf("ridge gpu=A100"), "a100-sxm4-80gb"));
  EXPECT_TRUE(contains(errorOf("ridge gpu=H999"), "no such product"));
  EXPECT_TRUE(contains(errorOf("ridge gpu=V100 precision=fp8"), "fp8_tensor peak is not known"));
  EXPECT_TRUE(contains(errorOf("ridge gpu=V100 precision=fp7"), "no such precision"));
  EXPECT_TRUE(contains(errorOf("ridge peak=1T bandwidth=1T precision=fp8"), "needs 'gpu'"));
  EXPECT_TRUE(contains(errorOf("pipeline stages=4 gpu=H200"), "no input 'gpu'"));
  EXPECT_TRUE(
      contains(errorOf("occupancy gpu=MI300X registers=32 threads=64"), "compute capability is not known"));
}

TEST(Calculators, OptionalInputsStayOut) {
  const auto without = calculate("gemm m=4096 n=4096 k=4096");
  ASSERT_TRUE(without);
  EXPECT_EQ(findValue(*without, "ridge"), nullptr);
  const auto with = calculate("gemm m=4096 n=4096 k=4096 gpu=H200");
  ASSERT_TRUE(with);
  ASSERT_NE(findValue(*with, "time_bound"), nullptr);
  EXPECT_NEAR(findValue(*with, "time_bound")->value, 137.438953472e9 / 989.5e12, 1e-9);
  EXPECT_EQ(findValue(*with, "ridge")->note, "compute-bound");
}

TEST(Calculators, GemmReadsCOnlyWithBeta) {
  expectCases({{"C written", "gemm m=10 n=20 k=30", "bytes", (300 + 600 + 200) * 2, kExact},
               {"C read and written", "gemm m=10 n=20 k=30 beta=1", "bytes", (300 + 600 + 400) * 2, kExact},
               {"FP32 result of FP16 inputs", "gemm m=10 n=20 k=30 result_bytes=4", "bytes",
                900 * 2 + 200 * 4, kExact},
               {"batch", "gemm m=10 n=20 k=30 batch=4", "flops", 48000, kExact}});
}

TEST(Calculators, IronLawBounds) {
  // 10 GB at 1 TB/s = 10 ms; 1 TFLOP at 200 TFLOP/s x 50 % = 10 ms; 5 ms of overhead.
  const std::string command = "iron peak=200T bandwidth=1T bytes=10G flops=1T efficiency=0.5 overhead=5ms";
  expectCases({{"additive", command, "additive", 25e-3, kExact},
               {"overlapped", command, "overlapped", 15e-3, kExact}});
}

TEST(Calculators, OccupancyWithWaves) {
  // 16 warps by registers = 2 blocks of 8 warps on each of 132 SMs: 264 a wave.
  const std::string command = "occupancy gpu=H200 registers=128 threads=256 blocks=265";
  expectCases({{"blocks", command, "resident_blocks", 2, kExact},
               {"occupancy", command, "occupancy", 0.25, kExact},
               {"waves", command, "waves", 265.0 / 264, kExact},
               {"tail", command, "tail_unused", 263.0 / 264, kExact}});
}

// Rows of the worked examples that are a quotient of given figures: 1 = 100 %.
TEST(Formulas, GoldenQuotients) {
  EXPECT_DOUBLE_EQ(model::ratio(312e12, 19.5e12), 16);                          // N23
  EXPECT_NEAR(model::ratio(1979e12, 989e12), 2.001, 2.001e-3);                  // N23
  EXPECT_NEAR(model::ratio(14.9e15, 128 * 989e12 * 0.245), 0.480412, 0.48e-3);  // N62
  EXPECT_DOUBLE_EQ(model::ratio(93.6e12, 312e12), 0.3);                         // N69
  EXPECT_NEAR(model::ratio(4, 132), 3.0303e-2, 3e-5);                           // N61
  EXPECT_NEAR(model::modelFlopsUtilisation(989e12 * 0.4, 1, 989e12, 1), 0.4, 1e-12);
}

// The attainable rate has its kink on the ridge and nowhere else.
TEST(Formulas, RooflineIsContinuousAndMonotonic) {
  const double ridge = model::ridgePoint(989e12, 3.35e12);
  EXPECT_DOUBLE_EQ(model::attainable(989e12, 3.35e12, ridge), 989e12);
  EXPECT_DOUBLE_EQ(model::attainable(989e12, 3.35e12, ridge / 2), 989e12 / 2);
  EXPECT_DOUBLE_EQ(model::attainable(989e12, 3.35e12, ridge * 2), 989e12);
  EXPECT_DOUBLE_EQ(model::attainable(989e12, 3.35e12, 0), 0);
  EXPECT_DOUBLE_EQ(model::rooflineTime(989e12, 3.35e12, 989e12, 3.35e12), 1);
  EXPECT_DOUBLE_EQ(model::rooflineTime(989e12, 6.7e12, 989e12, 3.35e12), 2);
}

TEST(Formulas, DivisionByNothingIsNoAnswer) {
  EXPECT_TRUE(std::isnan(model::ratio(1, 0)));
  EXPECT_TRUE(std::isnan(model::ratio(1, -1)));
  EXPECT_TRUE(std::isnan(model::ratio(std::nan(""), 1)));
  EXPECT_TRUE(std::isnan(model::ridgePoint(0, 1)));
  EXPECT_TRUE(std::isnan(model::attainable(1, 0, 1)));
  EXPECT_TRUE(std::isnan(model::rooflineTime(1, 1, 0, 1)));
  EXPECT_TRUE(std::isnan(model::modelFlopsUtilisation(1, 0, 1, 1)));
  EXPECT_TRUE(std::isnan(model::modelFlopsUtilisation(1, 1, 1, 0)));
  EXPECT_TRUE(std::isnan(model::ringAllReduceFactor(0)));
  EXPECT_FALSE(model::amdahlLimit(1).has_value());
  EXPECT_DOUBLE_EQ(model::speculativeTokens(1, 5), 6);
  EXPECT_EQ(model::regime(std::nan(""), 100), model::Regime::Unknown);
  EXPECT_EQ(model::regime(100, 100), model::Regime::Ridge);
}

}  // namespace
}  // namespace perfscope::test
