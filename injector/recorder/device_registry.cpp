// Identity of GPUs.
#include "injector/recorder/device_registry.h"

#include <algorithm>

namespace perfscope {

DeviceRow& DeviceRegistry::identify(int64_t host_id, const std::string& uuid, int64_t ordinal,
                                    const std::string& name) {
  for (auto& [id, row] : m_rows) {
    if (row.host_id != host_id) continue;
    const bool same =
        uuid.empty() ? !row.uuid && row.ordinal == ordinal && row.name == name : row.uuid == uuid;
    if (same) return row;
  }
  DeviceRow row;
  // From 0: the first GPU of the profile is device 0, as people count them.
  row.id = static_cast<int64_t>(m_rows.size());
  row.host_id = host_id;
  row.ordinal = ordinal;
  if (!uuid.empty()) row.uuid = uuid;
  row.name = name;
  return m_rows.emplace(row.id, row).first->second;
}

DeviceRow* DeviceRegistry::find(int64_t id) {
  const auto found = m_rows.find(id);
  return found == m_rows.end() ? nullptr : &found->second;
}

std::string uuidText(const unsigned char (&bytes)[16], bool mig) {
  if (std::all_of(std::begin(bytes), std::end(bytes), [](unsigned char byte) { return byte == 0; }))
    return {};
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text = mig ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kHex[bytes[i] >> 4];
    text += kHex[bytes[i] & 15];
  }
  return text;
}

}  // namespace perfscope
