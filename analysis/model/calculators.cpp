// The one list of calculators, and the inputs they share.
#include <iterator>

#include "analysis/model/calculator_topics.h"

namespace perfscope::model {

const std::vector<Calculator>& calculators() {
  static const std::vector<Calculator> kAll = [] {
    std::vector<Calculator> all;
    for (auto* topic : {&rooflineCalculators, &operationCalculators, &kernelCalculators,
                        &inferenceCalculators, &trainingCalculators, &scalingCalculators, &costCalculators}) {
      std::vector<Calculator> some = topic();
      all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
    }
    return all;
  }();
  return kAll;
}

InputSpec peakInput() {
  return {"peak", "FLOP/s", Domain::Positive, "dense arithmetic peak of one GPU", "", GpuCell::Peak};
}

InputSpec bandwidthInput() {
  return {"bandwidth", "byte/s", Domain::Positive, "memory bandwidth of one GPU", "", GpuCell::Bandwidth};
}

InputSpec optionally(InputSpec input) {
  input.optional = true;
  return input;
}

}  // namespace perfscope::model
