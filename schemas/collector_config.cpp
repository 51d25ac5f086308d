// Collector configuration <-> one environment variable. One list of fields serves both directions.
#include "schemas/collector_config.h"

#include <charconv>

namespace perfscope {
namespace {

std::string encode(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 32 || c == ';' || c == '%' || c == '=' || byte == 127) {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out;
}

int hexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

bool decode(std::string_view text, std::string& out) {
  out.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return false;
    const int high = hexValue(text[i + 1]);
    const int low = hexValue(text[i + 2]);
    if (high < 0 || low < 0) return false;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return true;
}

// --- one pair (print, read) per type of field
std::string print(const std::string& value) {
  return value;
}
std::string print(bool value) {
  return value ? "1" : "0";
}
template <class T>
requires std::is_unsigned_v<T> std::string print(T value) {
  return std::to_string(value);
}
template <class T>
requires std::is_enum_v<T> std::string print(T value) {
  return std::to_string(static_cast<unsigned>(value));
}
std::string print(const std::vector<uint32_t>& values) {
  std::string text;
  for (const auto value : values) {
    if (!text.empty()) text += ',';
    text += std::to_string(value);
  }
  return text;
}

template <class T>
bool readNumber(std::string_view text, T& value) {
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && result.ec == std::errc() && result.ptr == text.data() + text.size();
}
bool read(std::string_view text, std::string& value) {
  value = text;
  return true;
}
bool read(std::string_view text, bool& value) {
  if (text != "0" && text != "1") return false;
  value = text == "1";
  return true;
}
template <class T>
requires std::is_unsigned_v<T>
bool read(std::string_view text, T& value) {
  return readNumber(text, value);
}
template <class T>
requires std::is_enum_v<T>
bool read(std::string_view text, T& value) {
  unsigned number = 0;
  if (!readNumber(text, number) || number > 2) return false;
  value = static_cast<T>(number);
  return true;
}
bool read(std::string_view text, std::vector<uint32_t>& values) {
  values.clear();
  while (!text.empty()) {
    const auto comma = text.find(',');
    uint32_t number = 0;
    if (!readNumber(text.substr(0, comma), number)) return false;
    values.push_back(number);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return true;
}

template <class Config, class Visit>
void forEachField(Config& c, Visit&& visit) {
  visit("session", c.session_dir);
  visit("collector", c.collector_path);
  visit("api", c.api);
  visit("graphs", c.graphs);
  visit("nvtx", c.nvtx);
  visit("gemm", c.gemm);
  visit("nccl", c.nccl);
  visit("memory", c.memory);
  visit("args", c.store_arguments);
  visit("capture", c.capture);
  visit("capture_range", c.capture_range);
  visit("delay_ns", c.delay_ns);
  visit("duration_ns", c.duration_ns);
  visit("steps_wait", c.steps_wait);
  visit("steps_warmup", c.steps_warmup);
  visit("steps_active", c.steps_active);
  visit("steps_repeat", c.steps_repeat);
  visit("step_marker", c.step_marker);
  visit("buffer_bytes", c.buffer_bytes);
  visit("buffer_count", c.buffer_count);
  visit("flush_ms", c.flush_ms);
  visit("ring_records", c.ring_records);
  visit("ranks", c.ranks);
  visit("counters", c.counters);
  visit("sample_interval_ns", c.sample_interval_ns);
  visit("metrics", c.metrics);
  visit("replay_per_kernel", c.replay_per_kernel);
  visit("replay_budget_ns", c.replay_budget_ns);
}

}  // namespace

std::string printConfig(const CollectorConfig& config) {
  std::string text;
  forEachField(config, [&](std::string_view key, const auto& value) {
    if (!text.empty()) text += ';';
    text.append(key).append("=").append(encode(print(value)));
  });
  return text;
}

Result<CollectorConfig> parseConfig(std::string_view text, std::vector<std::string>* unknown) {
  CollectorConfig config;
  while (!text.empty()) {
    const auto end = text.find(';');
    const auto pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    const std::string key(pair.substr(0, equals));
    std::string value;
    if (equals == std::string_view::npos || !decode(pair.substr(equals + 1), value)) {
      return failure(ErrorKind::Usage, std::string(kConfigVariable) + ", key " + key, "has no valid value",
                     "start the program through `perfscope run`");
    }
    bool known = false;
    bool valid = true;
    forEachField(config, [&](std::string_view name, auto& field) {
      if (name != key) return;
      known = true;
      valid = read(value, field);
    });
    if (!valid) {
      return failure(ErrorKind::Usage, std::string(kConfigVariable) + ", key " + key,
                     "cannot read \"" + value + "\"",
                     "start the program through `perfscope run` of the same version");
    }
    if (!known && unknown != nullptr) unknown->push_back(key);
  }
  return config;
}

}  // namespace perfscope
