// Plays back CUPTI buffers that the collector captured on a real GPU (format:
// collector/cupti/buffer_capture.h).
#include "tests/support/standins/cupti/playback.h"

#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/standins/cupti/misfortune.h"
#include "tests/support/standins/cupti/state.h"

namespace perfscope::standin {
namespace {

// Reads front to back; past the end everything is empty and `good` is false.
class Bytes {
 public:
  explicit Bytes(const std::string& data) : m_data(data.begin(), data.end()) {}
  template <typename T>
  T number() {
    T value{};
    if (const char* from = take(sizeof value)) std::memcpy(&value, from, sizeof value);
    return value;
  }
  char* take(size_t bytes) {
    good = good && bytes <= m_data.size() - m_at;
    if (!good) return nullptr;
    m_at += bytes;
    return m_data.data() + m_at - bytes;
  }
  [[nodiscard]] bool atEnd() const { return m_at == m_data.size(); }
  bool good = true;

 private:
  std::vector<char> m_data;
  size_t m_at = 0;
};

// The texts of the recorded process live on here; kernel names live as long as the process, so do these.
const char* keep(const char* text, size_t bytes) {
  static auto* kept = new std::set<std::string>;
  return kept->emplace(text, bytes).first->c_str();
}

void repoint(uint8_t* record, uint32_t kind, const std::map<uint64_t, const char*>& texts) {
  const auto replace = [&](size_t offset) {
    uint64_t pointer = 0;
    std::memcpy(&pointer, record + offset, sizeof pointer);
    const auto found = texts.find(pointer);
    const char* text = found != texts.end() ? found->second : nullptr;
    std::memcpy(record + offset, &text, sizeof text);
  };
  if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) replace(offsetof(CUpti_ActivityKernel9, name));
  if (kind == CUPTI_ACTIVITY_KIND_DEVICE) replace(offsetof(CUpti_ActivityDevice4, name));
}

// Records of one buffer; -1 = one of a kind whose size the stand-in does not know.
int64_t playRecords(uint8_t* data, size_t bytes, const std::map<uint64_t, const char*>& texts) {
  int64_t records = 0;
  for (size_t at = 0; at < bytes; ++records) {
    uint32_t kind = 0;
    std::memcpy(&kind, data + at, sizeof kind);
    const size_t size = recordBytes(kind);
    if (size == 0 || at + size > bytes) return -1;
    repoint(data + at, kind, texts);
    Cupti::get().add(data + at, size);
    at += size;
  }
  return records;
}

int64_t playBuffer(Bytes& bytes) {
  const char* mark = bytes.take(4);
  if (mark == nullptr || std::memcmp(mark, "BUFR", 4) != 0) return -1;
  const auto text_count = bytes.number<uint32_t>();
  const auto valid = bytes.number<uint64_t>();
  char* data = bytes.take(valid);
  std::map<uint64_t, const char*> texts;
  for (uint32_t i = 0; i < text_count && bytes.good; ++i) {
    const auto pointer = bytes.number<uint64_t>();
    const auto length = bytes.number<uint32_t>();
    if (const char* text = bytes.take(length)) texts[pointer] = keep(text, length);
  }
  return bytes.good ? playRecords(reinterpret_cast<uint8_t*>(data), valid, texts) : -1;
}

}  // namespace

// The records are written into the buffers of the calling thread, whatever kinds are enabled. The layouts
// must be those that the stand-in plays: set STANDIN_CUPTI_VERSION to the version in the file.
int64_t playBack(const char* path) {
  std::ostringstream content;
  content << std::ifstream(path, std::ios::binary).rdbuf();
  Bytes bytes(content.str());
  const char* magic = bytes.take(8);
  const auto version = bytes.number<uint32_t>();
  bytes.number<uint32_t>();
  if (magic == nullptr || std::memcmp(magic, "PSCUPTI1", 8) != 0 || version != Misfortune::get().version)
    return -1;
  int64_t records = 0;
  while (bytes.good && !bytes.atEnd()) {
    const int64_t played = playBuffer(bytes);
    if (played < 0) return -1;
    records += played;
  }
  return bytes.good ? records : -1;
}

}  // namespace perfscope::standin
