// Labels start with the least detail; those that several kernels share get more until none do.
#include "analysis/report/kernel_labels.h"

#include <map>
#include <string_view>

#include "analysis/report/kernel_signature.h"

namespace perfscope {
namespace {

struct Label {
  int detail = 0;  // SignatureDetail
  std::string text;
};

const std::string& fullName(const KernelReport& kernel) {
  return kernel.name.empty() ? kernel.short_name : kernel.name;
}

// One more level of detail for every name whose label another one has, too; false when there is none.
bool tellApart(std::map<std::string_view, Label>& labels) {
  std::map<std::string_view, int> uses;
  for (const auto& [name, label] : labels) ++uses[label.text];
  std::vector<std::pair<std::string_view, Label*>> shared;
  for (auto& [name, label] : labels) {
    const bool can_grow = label.detail < static_cast<int>(SignatureDetail::FullName);
    if (uses[label.text] > 1 && can_grow) shared.emplace_back(name, &label);
  }
  for (auto& [name, label] : shared) {
    ++label->detail;
    label->text = kernelSignature(name, static_cast<SignatureDetail>(label->detail));
  }
  return !shared.empty();
}

}  // namespace

std::vector<std::string> kernelLabels(const std::vector<KernelReport>& kernels) {
  std::map<std::string_view, Label> labels;  // by full name
  for (const KernelReport& kernel : kernels) {
    Label& label = labels[fullName(kernel)];
    if (label.text.empty()) label.text = kernelSignature(fullName(kernel), SignatureDetail::Functor);
  }
  while (tellApart(labels)) {
  }
  std::vector<std::string> list;
  list.reserve(kernels.size());
  for (const KernelReport& kernel : kernels) {
    const std::string& text = labels[fullName(kernel)].text;
    list.push_back(text.empty() ? "(no name)" : text);
  }
  return list;
}

}  // namespace perfscope
