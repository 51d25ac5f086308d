// A capture aid for tests.
#include "collector/cupti/buffer_capture.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "collector/cupti/record_types.h"

namespace perfscope::collector {
namespace {

void put(std::string& out, const void* data, size_t bytes) {
  out.append(static_cast<const char*>(data), bytes);
}
template <class T>
void putNumber(std::string& out, T value) {
  put(out, &value, sizeof(value));
}

// The texts a record points at, by pointer value.
void collectTexts(const CUpti_Activity* record, std::map<uint64_t, std::string_view>& texts) {
  const char* text = nullptr;
  if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL)
    text = reinterpret_cast<const layout::Kernel*>(record)->name;
  if (record->kind == CUPTI_ACTIVITY_KIND_DEVICE)
    text = reinterpret_cast<const layout::Device*>(record)->name;
  if (text != nullptr) texts.emplace(reinterpret_cast<uint64_t>(text), text);
}

void writeAll(int file, std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ::write(file, data.data(), data.size());
    if (written <= 0) return;
    data.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

BufferCapture::~BufferCapture() {
  if (m_file >= 0) ::close(m_file);
}
BufferCapture::BufferCapture(BufferCapture&& other) noexcept : m_file(std::exchange(other.m_file, -1)) {}

BufferCapture BufferCapture::fromEnvironment(uint32_t cupti_version) {
  BufferCapture capture;
  const char* folder = std::getenv("PERFSCOPE_CAPTURE_BUFFERS");
  if (folder == nullptr || *folder == '\0') return capture;
  const std::string path = std::string(folder) + "/" + std::to_string(::getpid()) + ".cuptibuf";
  capture.m_file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (capture.m_file < 0) {
    std::fprintf(stderr, "perfscope: cannot write %s: %s\n", path.c_str(), std::strerror(errno));
    return capture;
  }
  std::string header = "PSCUPTI1";
  putNumber(header, cupti_version);
  putNumber(header, uint32_t{0});
  writeAll(capture.m_file, header);
  return capture;
}

void BufferCapture::buffer(uint8_t* data, size_t valid_bytes, const CuptiApi& api) {
  if (m_file < 0) return;
  std::map<uint64_t, std::string_view> texts;
  CUpti_Activity* record = nullptr;
  while (api.activity_get_next_record(data, valid_bytes, &record) == CUPTI_SUCCESS)
    collectTexts(record, texts);
  std::string out = "BUFR";
  putNumber(out, static_cast<uint32_t>(texts.size()));
  putNumber(out, static_cast<uint64_t>(valid_bytes));
  put(out, data, valid_bytes);
  for (const auto& [pointer, text] : texts) {
    putNumber(out, pointer);
    putNumber(out, static_cast<uint32_t>(text.size()));
    put(out, text.data(), text.size());
  }
  writeAll(m_file, out);
}

}  // namespace perfscope::collector
