// Context, memory, launches.
#include "injector/calibration/gpu.h"

#include <utility>

#include "injector/calibration/kernel_source.h"

namespace perfscope::calibration {

Buffer::Buffer(Buffer&& other) noexcept {
  *this = std::move(other);
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(m_gpu, other.m_gpu);
  std::swap(m_address, other.m_address);
  std::swap(m_host, other.m_host);
  std::swap(m_bytes, other.m_bytes);
  return *this;
}

Buffer::~Buffer() {
  if (m_gpu == nullptr) return;
  (void)m_gpu->makeCurrent();
  if (m_address != 0) m_gpu->driver().release(m_address);
  if (m_host != nullptr) m_gpu->driver().releaseHost(m_host);
}

Result<std::unique_ptr<Gpu>> Gpu::open(const CudaDriver& driver, int ordinal, const NvmlApi* nvml) {
  std::unique_ptr<Gpu> gpu(new Gpu(driver, nvml));
  if (auto read = gpu->readFacts(ordinal); !read) return tl::unexpected(read.error());
  if (auto made =
          gpu->check(driver.contextRetain(&gpu->m_context, gpu->m_device), "cuDevicePrimaryCtxRetain");
      !made)
    return tl::unexpected(made.error());
  if (auto current = gpu->makeCurrent(); !current) return tl::unexpected(current.error());
  auto made = gpu->check(driver.streamCreate(&gpu->m_stream, 0), "cuStreamCreate");
  if (made) made = gpu->check(driver.eventCreate(&gpu->m_begin, 0), "cuEventCreate");
  if (made) made = gpu->check(driver.eventCreate(&gpu->m_end, 0), "cuEventCreate");
  if (!made) return tl::unexpected(made.error());
  if (nvml != nullptr && nvml->byUuid(gpu->m_facts.uuid.c_str(), &gpu->m_nvml_device) != 0) {
    gpu->m_nvml_device = nullptr;
  }
  return gpu;
}

Status Gpu::readFacts(int ordinal) {
  m_facts.ordinal = ordinal;
  char name[128] = {};
  CuUuid uuid{};
  int l2 = 0;
  auto done = check(m_driver.deviceGet(&m_device, ordinal), "cuDeviceGet");
  const auto attribute = [&](int& value, int number) {
    if (done) done = check(m_driver.deviceAttribute(&value, number, m_device), "cuDeviceGetAttribute");
  };
  if (done) done = check(m_driver.deviceName(name, sizeof name - 1, m_device), "cuDeviceGetName");
  if (done) done = check(m_driver.deviceUuid(&uuid, m_device), "cuDeviceGetUuid_v2");
  attribute(m_facts.major, kAttributeCapabilityMajor);
  attribute(m_facts.minor, kAttributeCapabilityMinor);
  attribute(m_facts.sm_count, kAttributeMultiprocessors);
  attribute(l2, kAttributeL2Bytes);
  m_facts.name = name;
  m_facts.uuid = uuidText(uuid, m_facts.name.find(" MIG ") != std::string::npos);
  m_facts.l2_bytes = l2;
  return done;
}

Gpu::~Gpu() {
  if (m_context == nullptr) return;
  (void)makeCurrent();
  if (m_module != nullptr) m_driver.unloadModule(m_module);
  if (m_begin != nullptr) m_driver.eventDestroy(m_begin);
  if (m_end != nullptr) m_driver.eventDestroy(m_end);
  if (m_stream != nullptr) m_driver.streamDestroy(m_stream);
  m_driver.contextRelease(m_device);
}

Status Gpu::check(CuCode code, const std::string& call) const {
  return calibration::check(m_driver, code, call);
}

Status Gpu::makeCurrent() const {
  return check(m_driver.contextSetCurrent(m_context), "cuCtxSetCurrent");
}

Status Gpu::loadKernels(const std::vector<char>& image) {
  return check(m_driver.loadModule(&m_module, image.data()), "cuModuleLoadData of the calibration kernels");
}

Result<CuHandle> Gpu::kernel(const std::string& name) const {
  if (m_module == nullptr) {
    return failure(ErrorKind::Unavailable, name, "its kernels could not be compiled");
  }
  CuHandle function = nullptr;
  auto found =
      check(m_driver.moduleFunction(&function, m_module, name.c_str()), "cuModuleGetFunction " + name);
  if (!found) return tl::unexpected(found.error());
  return function;
}

Result<unsigned> Gpu::residentBlocks(CuHandle kernel) const {
  int per_sm = 0;
  auto asked = check(m_driver.occupancy(&per_sm, kernel, kBlockThreads, 0),
                     "cuOccupancyMaxActiveBlocksPerMultiprocessor");
  if (!asked) return tl::unexpected(asked.error());
  if (per_sm <= 0) return failure(ErrorKind::Internal, "calibration kernel", "no block of it fits an SM");
  return static_cast<unsigned>(per_sm * m_facts.sm_count);
}

Result<size_t> Gpu::freeBytes() const {
  size_t free_bytes = 0, total = 0;
  auto asked = check(m_driver.memoryInfo(&free_bytes, &total), "cuMemGetInfo");
  if (!asked) return tl::unexpected(asked.error());
  return free_bytes;
}

Result<Buffer> Gpu::allocate(size_t bytes) const {
  Buffer buffer;
  auto made = check(m_driver.allocate(&buffer.m_address, bytes), "cuMemAlloc");
  if (!made) return tl::unexpected(made.error());
  buffer.m_gpu = this;
  buffer.m_bytes = bytes;
  return buffer;
}

Result<Buffer> Gpu::allocatePinned(size_t bytes) const {
  Buffer buffer;
  auto made = check(m_driver.allocateHost(&buffer.m_host, bytes, 0), "cuMemHostAlloc");
  if (!made) return tl::unexpected(made.error());
  buffer.m_gpu = this;
  buffer.m_bytes = bytes;
  return buffer;
}

Status Gpu::launch(CuHandle kernel, unsigned blocks, std::vector<void*> parameters) const {
  const unsigned threads = kBlockThreads;
  return check(m_driver.launch(kernel, blocks, 1, 1, threads, 1, 1, 0, m_stream, parameters.data(), nullptr),
               "cuLaunchKernel");
}

Status Gpu::synchronise() const {
  return check(m_driver.streamSynchronize(m_stream), "cuStreamSynchronize");
}

Status Gpu::toHost(void* to, const Buffer& from, size_t bytes) const {
  if (auto done = synchronise(); !done) return done;
  return check(m_driver.copyToHost(to, from.address(), bytes), "cuMemcpyDtoH");
}

Status Gpu::toDevice(const Buffer& to, const void* from, size_t bytes) const {
  return check(m_driver.copyToDevice(to.address(), from, bytes), "cuMemcpyHtoD");
}

}  // namespace perfscope::calibration
