// Varints, zigzag, runs of zero: see the header.
#include "schemas/sample_block.h"

#include <bit>
#include <cmath>
#include <cstring>

namespace perfscope {
namespace {

constexpr char kVersion = 1;
// Doubles are exact integers up to here, so that differences are too.
constexpr double kExact = 4503599627370496.0;  // 2^52

void putVarint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

uint64_t zigzag(int64_t value) {
  return (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
}
int64_t unzigzag(uint64_t value) {
  return static_cast<int64_t>(value >> 1) ^ -static_cast<int64_t>(value & 1);
}
// Wraps instead of overflowing: the reader wraps back.
int64_t minus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t plus(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}

bool allIntegers(const std::vector<double>& values) {
  for (const double v : values)
    if (!(std::abs(v) <= kExact) || v != std::floor(v) || (v == 0 && std::signbit(v))) return false;
  return true;
}

void putIntegers(std::string& out, const std::vector<double>& values) {
  int64_t before = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<int64_t>(values[i]);
    const int64_t step = minus(value, before);
    before = value;
    putVarint(out, zigzag(step));
    if (step != 0) continue;
    size_t same = i + 1;
    while (same < values.size() && values[same] == values[i]) ++same;
    putVarint(out, same - i - 1);
    i = same - 1;
  }
}

class Input {
 public:
  explicit Input(std::string_view bytes) : m_bytes(bytes) {}

  bool varint(uint64_t& value) {
    value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (m_at == m_bytes.size()) return false;
      const auto byte = static_cast<unsigned char>(m_bytes[m_at++]);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return shift < 63 || byte <= 1;
    }
    return false;
  }
  bool byte(char& value) {
    if (m_at == m_bytes.size()) return false;
    value = m_bytes[m_at++];
    return true;
  }
  bool number(double& value) {
    if (left() < sizeof value) return false;
    std::memcpy(&value, m_bytes.data() + m_at, sizeof value);
    m_at += sizeof value;
    return true;
  }
  [[nodiscard]] size_t left() const { return m_bytes.size() - m_at; }

 private:
  std::string_view m_bytes;
  size_t m_at = 0;
};

bool getIntegers(Input& in, size_t count, std::vector<double>& values) {
  int64_t before = 0;
  while (values.size() < count) {
    uint64_t raw = 0;
    if (!in.varint(raw)) return false;
    before = plus(before, unzigzag(raw));
    values.push_back(static_cast<double>(before));
    if (raw != 0) continue;
    uint64_t more = 0;
    if (!in.varint(more) || more > count - values.size()) return false;
    values.insert(values.end(), more, static_cast<double>(before));
  }
  return true;
}

bool getTimes(Input& in, size_t count, SampleBlock& block) {
  int64_t start = 0;
  int64_t step = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    if (!in.varint(raw)) return false;
    step = plus(step, unzigzag(raw));
    start = plus(start, step);
    block.start_ns.push_back(start);
  }
  int64_t duration = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t raw = 0;
    if (!in.varint(raw)) return false;
    duration = plus(duration, unzigzag(raw));
    block.duration_ns.push_back(duration);
  }
  return true;
}

bool getBlock(Input& in, SampleBlock& block) {
  char version = 0;
  uint64_t count = 0;
  uint64_t metrics = 0;
  if (!in.byte(version) || version != kVersion || !in.varint(count) || !in.varint(metrics)) return false;
  if (count > in.left() || metrics > in.left()) return false;  // each takes a byte at least
  // A run makes many values of two bytes: a bound on memory that no honest block comes near.
  if (metrics != 0 && count > (size_t{1} << 28) / metrics) return false;
  if (!getTimes(in, count, block)) return false;
  block.values.resize(metrics);
  for (auto& values : block.values) {
    char kind = 0;
    if (!in.byte(kind)) return false;
    if (kind == 0) {
      if (!getIntegers(in, count, values)) return false;
    } else if (kind == 1) {
      values.resize(count);
      for (double& value : values)
        if (!in.number(value)) return false;
    } else {
      return false;
    }
  }
  return in.left() == 0;
}

}  // namespace

static_assert(std::endian::native == std::endian::little, "doubles are stored as they lie in memory");

std::string packSamples(const SampleBlock& block) {
  std::string out(1, kVersion);
  putVarint(out, block.count());
  putVarint(out, block.values.size());
  int64_t before = 0;
  int64_t step = 0;
  for (const int64_t start : block.start_ns) {
    const int64_t now = minus(start, before);
    putVarint(out, zigzag(minus(now, step)));
    before = start;
    step = now;
  }
  before = 0;
  for (const int64_t duration : block.duration_ns) {
    putVarint(out, zigzag(minus(duration, before)));
    before = duration;
  }
  for (const auto& values : block.values) {
    const bool integers = allIntegers(values);
    out += integers ? '\0' : '\1';
    if (integers) {
      putIntegers(out, values);
    } else {
      out.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
    }
  }
  return out;
}

Result<SampleBlock> unpackSamples(std::string_view bytes, const std::string& where) {
  Input in(bytes);
  SampleBlock block;
  if (getBlock(in, block)) return block;
  return failure(ErrorKind::InputRefused, where, "counter samples are damaged",
                 "record again; everything else of the profile can be read");
}

}  // namespace perfscope
