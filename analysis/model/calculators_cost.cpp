// Calculators about money and energy. Prices and carbon figures are always the user's.
#include "analysis/model/calculator_topics.h"
#include "analysis/model/roofline_formulas.h"

namespace perfscope::model {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kJoulesPerKilowattHour = 3.6e6;

Values computeCost(const Inputs& in) {
  const double per_second = in["gpus"] * in["price"] / kSecondsPerHour;
  std::vector<NamedValue> values{{"per_hour", in["gpus"] * in["price"], "USD/h", "gpus x price", ""}};
  if (in.has("tokens_per_s")) {
    const double per_token = ratio(per_second, in["tokens_per_s"]);
    values.push_back({"per_1k_tokens", per_token * 1e3, "USD", "1000 gpus price / (3600 tokens_per_s)", ""});
    values.push_back({"per_1m_tokens", per_token * 1e6, "USD", "1000 per_1k_tokens", ""});
    values.push_back(
        {"time_per_token", ratio(1, in["tokens_per_s"]), "s", "1 / tokens_per_s", "of the whole service"});
  }
  if (in.has("time"))
    values.push_back({"total", per_second * in["time"], "USD", "gpus price time / 3600", ""});
  return values;
}

Values computeEnergy(const Inputs& in) {
  const double watts = in["gpus"] * in["gpu_power"] + in["hosts"] * in["host_power"];
  const double kilowatt_hours = watts * in["time"] / kJoulesPerKilowattHour;
  std::vector<NamedValue> values{
      {"power", watts, "W", "gpus gpu_power + hosts host_power", "without cooling"},
      {"energy", kilowatt_hours, "kWh", "power x time / 3.6e6", ""}};
  if (in.has("tokens_per_s")) {
    values.push_back({"joules_per_token", ratio(watts, in["tokens_per_s"]), "J", "power / tokens_per_s", ""});
  }
  if (in.has("co2_per_kwh")) {
    values.push_back({"co2", kilowatt_hours * in["co2_per_kwh"], "kg", "energy x co2_per_kwh", ""});
  }
  return values;
}

}  // namespace

std::vector<Calculator> costCalculators() {
  const InputSpec gpus{"gpus", "", Domain::Count, "GPUs", "1"};
  const InputSpec rate{"tokens_per_s", "",  Domain::Positive, "tokens per second of all GPUs", "",
                       GpuCell::None,  true};
  return {
      {"cost",
       "What does it cost per hour, token or run?",
       "gpus=8 price=2.70 tokens_per_s=50",
       {gpus,
        {"price", "USD/h", Domain::Positive, "price of one GPU hour"},
        rate,
        {"time", "s", Domain::Positive, "duration of the run", "", GpuCell::None, true}},
       computeCost},
      {"energy",
       "What energy does a run take?",
       "gpus=1024 gpu_power=400 hosts=128 host_power=200 time=73h",
       {gpus,
        {"gpu_power", "W", Domain::Positive,
         "mean power of one GPU (the data sheet's limit is an upper bound)", "", GpuCell::Tdp},
        {"hosts", "", Domain::Whole, "hosts", "0"},
        {"host_power", "W", Domain::NonNegative, "power of one host", "0"},
        {"time", "s", Domain::Positive, "duration"},
        rate,
        {"co2_per_kwh", "", Domain::Positive, "kg of CO2 per kWh", "", GpuCell::None, true}},
       computeEnergy},
  };
}

}  // namespace perfscope::model
