// Stand-in libcublasLt: descriptors that remember their attributes, and a product that launches one kernel.
#include <cstring>
#include <map>
#include <string>

#include "tests/support/standins/standin_cuda.h"
#include "tests/support/standins/standin_libraries.h"

namespace {

// cublasLtMatmulDescAttributes_t and cublasLtMatrixLayoutAttribute_t of cublasLt.h.
enum DescriptorAttribute {
  kComputeType = 0,
  kScaleType = 1,
  kPointerMode = 2,
  kTransA = 3,
  kTransB = 4,
  kTransC = 5,
  kEpilogue = 7
};
enum LayoutAttribute {
  kType = 0,
  kOrder = 1,
  kRows = 2,
  kColumns = 3,
  kLeading = 4,
  kBatch = 5,
  kBatchStride = 6
};
constexpr int kInvalidValue = 7;  // CUBLAS_STATUS_INVALID_VALUE

struct Attributes {
  std::map<int, std::string> values;

  template <typename T>
  void set(int attribute, T value) {
    values[attribute] = std::string(reinterpret_cast<const char*>(&value), sizeof value);
  }
};

int setAttribute(void* object, int attribute, const void* value, size_t bytes) {
  static_cast<Attributes*>(object)->values[attribute] = std::string(static_cast<const char*>(value), bytes);
  return 0;
}

// As the real call: too small a room is refused, `written` tells the size.
int getAttribute(void* object, int attribute, void* value, size_t bytes, size_t* written) {
  const auto& values = static_cast<Attributes*>(object)->values;
  const auto found = values.find(attribute);
  if (found == values.end()) return kInvalidValue;
  if (written != nullptr) *written = found->second.size();
  if (bytes == 0) return 0;
  if (bytes < found->second.size()) return kInvalidValue;
  std::memcpy(value, found->second.data(), found->second.size());
  return 0;
}

}  // namespace

extern "C" {

int cublasLtCreate(void** handle) {
  static int handle_target = 0;
  *handle = &handle_target;
  return 0;
}

int cublasLtMatmulDescCreate(void** descriptor, int compute_type, int scale_type) {
  auto* made = new Attributes;
  made->set<int32_t>(kComputeType, compute_type);
  made->set<int32_t>(kScaleType, scale_type);
  made->set<int32_t>(kPointerMode, 0);
  made->set<int32_t>(kTransA, 0);
  made->set<int32_t>(kTransB, 0);
  made->set<int32_t>(kTransC, 0);
  made->set<uint32_t>(kEpilogue, 1);
  *descriptor = made;
  return 0;
}

int cublasLtMatmulDescSetAttribute(void* descriptor, int attribute, const void* value, size_t bytes) {
  return setAttribute(descriptor, attribute, value, bytes);
}

int cublasLtMatmulDescGetAttribute(void* descriptor, int attribute, void* value, size_t bytes,
                                   size_t* written) {
  return getAttribute(descriptor, attribute, value, bytes, written);
}

int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t columns, int64_t leading) {
  auto* made = new Attributes;
  made->set<uint32_t>(kType, static_cast<uint32_t>(type));
  made->set<int32_t>(kOrder, 0);
  made->set<uint64_t>(kRows, rows);
  made->set<uint64_t>(kColumns, columns);
  made->set<int64_t>(kLeading, leading);
  made->set<int32_t>(kBatch, 1);
  made->set<int64_t>(kBatchStride, 0);
  *layout = made;
  return 0;
}

int cublasLtMatrixLayoutSetAttribute(void* layout, int attribute, const void* value, size_t bytes) {
  return setAttribute(layout, attribute, value, bytes);
}

int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* value, size_t bytes,
                                     size_t* written) {
  return getAttribute(layout, attribute, value, bytes, written);
}

int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*,
                   const void*, void*, void*, void*, const void*, void*, size_t, void* stream) {
  const StandinKernel kernel{
      "nvjet_tst_128x256_64x4_1x2_h_bz_coopA_TNT", {132, 1, 1}, {384, 1, 1}, {2, 1, 1}, 168, 0, 213504, 5000};
  return standinLaunch(static_cast<uint32_t>(reinterpret_cast<uintptr_t>(stream)), &kernel);
}

}  // extern "C"
