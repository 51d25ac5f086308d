// cuBLASLt, bound at run time.
#include "injector/calibration/cublas_lt.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "injector/calibration/library_search.h"

namespace perfscope::calibration {
namespace {

// Numbers of the vendor's header.
constexpr int kOperationTransposeA = 3, kTransposed = 1, kOperationFastSums = 25;
constexpr std::int8_t kOn = 1;
constexpr int kPreferenceWorkspaceBytes = 1;

template <class Function>
bool bind(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

Status refused(int code, const std::string& call) {
  if (code == 0) return {};
  return failure(ErrorKind::Unavailable, call, fmt::format("cuBLASLt refused (status {})", code));
}

// One and zero in the type of the scale factors.
struct Scalars {
  double real64[2] = {1, 0};
  float real32[2] = {1, 0};
  std::int32_t integer[2] = {1, 0};
  [[nodiscard]] const void* of(LtType type, int which) const {
    if (type == LtType::Real64F) return &real64[which];
    if (type == LtType::Int32) return &integer[which];
    return &real32[which];
  }
};

}  // namespace

Result<CublasLt> CublasLt::open(int driver_api) {
  const auto library = loadLibrary(cublasLtWanted(driver_api));
  if (!library) return tl::unexpected(library.error());
  CublasLt lt;
  lt.m_path = library->path;
  Api& api = lt.m_api;
  void* const handle = library->handle;
  const bool bound = bind(handle, api.create, "cublasLtCreate") &&
                     bind(handle, api.destroy, "cublasLtDestroy") &&
                     bind(handle, api.layoutCreate, "cublasLtMatrixLayoutCreate") &&
                     bind(handle, api.layoutDestroy, "cublasLtMatrixLayoutDestroy") &&
                     bind(handle, api.operationCreate, "cublasLtMatmulDescCreate") &&
                     bind(handle, api.operationDestroy, "cublasLtMatmulDescDestroy") &&
                     bind(handle, api.operationSet, "cublasLtMatmulDescSetAttribute") &&
                     bind(handle, api.preferenceCreate, "cublasLtMatmulPreferenceCreate") &&
                     bind(handle, api.preferenceDestroy, "cublasLtMatmulPreferenceDestroy") &&
                     bind(handle, api.preferenceSet, "cublasLtMatmulPreferenceSetAttribute") &&
                     bind(handle, api.heuristic, "cublasLtMatmulAlgoGetHeuristic") &&
                     bind(handle, api.matmul, "cublasLtMatmul");
  if (!bound) {
    return failure(ErrorKind::Unavailable, library->path, "lacks functions of cuBLASLt 11",
                   "install the cuBLAS of CUDA 12 or 13");
  }
  return lt;
}

Result<CublasLt::Handle> CublasLt::createHandle() const {
  Handle handle = nullptr;
  if (auto made = refused(m_api.create(&handle), "cublasLtCreate"); !made)
    return tl::unexpected(made.error());
  return handle;
}

void CublasLt::destroyHandle(Handle handle) const {
  if (handle != nullptr) m_api.destroy(handle);
}

Result<CublasLt::Plan> CublasLt::plan(Handle handle, const LtProduct& product, std::size_t workspace_bytes,
                                      int most) const {
  Plan plan;
  plan.product = product;
  const auto n = product.n;
  auto made = refused(m_api.operationCreate(&plan.operation, static_cast<int>(product.compute),
                                            static_cast<int>(product.scale)),
                      "cublasLtMatmulDescCreate");
  if (made)
    made = refused(m_api.operationSet(plan.operation, kOperationTransposeA, &kTransposed, sizeof kTransposed),
                   "cublasLtMatmulDescSetAttribute");
  if (made && product.has_fast_sums)
    made = refused(m_api.operationSet(plan.operation, kOperationFastSums, &kOn, sizeof kOn),
                   "cublasLtMatmulDescSetAttribute");
  if (made)
    made = refused(m_api.layoutCreate(&plan.layout_in, static_cast<int>(product.input), n, n,
                                      static_cast<std::int64_t>(n)),
                   "cublasLtMatrixLayoutCreate");
  if (made)
    made = refused(m_api.layoutCreate(&plan.layout_out, static_cast<int>(product.output), n, n,
                                      static_cast<std::int64_t>(n)),
                   "cublasLtMatrixLayoutCreate");
  if (made) made = proposals(handle, workspace_bytes, most, plan);
  if (!made) {
    destroy(plan);
    return tl::unexpected(made.error());
  }
  return plan;
}

Status CublasLt::proposals(Handle handle, std::size_t workspace_bytes, int most, Plan& plan) const {
  Handle preference = nullptr;
  auto done = refused(m_api.preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::uint64_t bytes = workspace_bytes;
  if (done)
    done = refused(m_api.preferenceSet(preference, kPreferenceWorkspaceBytes, &bytes, sizeof bytes),
                   "cublasLtMatmulPreferenceSetAttribute");
  plan.algorithms.resize(static_cast<size_t>(most));
  int found = 0;
  if (done)
    done = refused(m_api.heuristic(handle, plan.operation, plan.layout_in, plan.layout_in, plan.layout_out,
                                   plan.layout_out, preference, most, plan.algorithms.data(), &found),
                   "cublasLtMatmulAlgoGetHeuristic");
  if (preference != nullptr) m_api.preferenceDestroy(preference);
  plan.algorithms.resize(static_cast<size_t>(found > 0 ? found : 0));
  std::erase_if(plan.algorithms, [](const Heuristic& h) { return h.state != 0; });
  if (done && plan.algorithms.empty())
    return failure(ErrorKind::Unavailable, "cuBLASLt", "it has no algorithm for this type on this GPU");
  return done;
}

void CublasLt::destroy(Plan& plan) const {
  if (plan.layout_in != nullptr) m_api.layoutDestroy(plan.layout_in);
  if (plan.layout_out != nullptr) m_api.layoutDestroy(plan.layout_out);
  if (plan.operation != nullptr) m_api.operationDestroy(plan.operation);
  plan = {};
}

Status CublasLt::multiply(Handle handle, const Plan& plan, const Algorithm& algorithm, CuPointer a,
                          CuPointer b, CuPointer d, CuPointer workspace, std::size_t workspace_bytes,
                          CuHandle stream) const {
  const Scalars scalars;
  const auto pointer = [](CuPointer address) { return reinterpret_cast<void*>(address); };
  const LtType scale = plan.product.scale;
  return refused(
      m_api.matmul(handle, plan.operation, scalars.of(scale, 0), pointer(a), plan.layout_in, pointer(b),
                   plan.layout_in, scalars.of(scale, 1), pointer(d), plan.layout_out, pointer(d),
                   plan.layout_out, &algorithm, pointer(workspace), workspace_bytes, stream),
      "cublasLtMatmul");
}

}  // namespace perfscope::calibration
