// Numbers -> text for people: one place decides units, digits and separators (report, command line, viewer).
// Pure. Decimal units (1 GB = 10^9 bytes). A value that is not finite prints as "-": a report never shows
// NaN.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace perfscope::format {

// Nanoseconds -> "850 ns", "1.23 ms", "12.3 s", "3 min 20 s", "2 h 05 min". Three significant digits.
[[nodiscard]] std::string duration(double ns);

// Bytes -> "512 B", "12.3 GB".
[[nodiscard]] std::string bytes(double value);

// Bytes per second -> "4.80 TB/s".
[[nodiscard]] std::string bytesPerSecond(double value);

// Floating-point operations -> "2.20 TFLOP".
[[nodiscard]] std::string flops(double value);

// FLOP per second -> "765 TFLOP/s".
[[nodiscard]] std::string flopsPerSecond(double value);

// FLOP per byte -> "206 FLOP/byte".
[[nodiscard]] std::string intensity(double value);

// 1234567 -> "1,234,567".
[[nodiscard]] std::string count(int64_t value);

// (1, "gap") -> "1 gap", (1200, "gap") -> "1,200 gaps", (2, "copy") -> "2 copies",
// (3, "process") -> "3 processes"; an English noun with a regular plural. The only place that makes plurals.
[[nodiscard]] std::string counted(int64_t value, std::string_view noun);

// 0.4267 -> "42.7 %". A part that is not whole never reads "0.0 %" or "100.0 %": "< 0.1 %", "> 99.9 %".
[[nodiscard]] std::string percent(double fraction);

// 0.82 -> "82 %": how sure something is; no false precision.
[[nodiscard]] std::string confidence(double fraction);

// 0.012 -> "+1.2 %": a change.
[[nodiscard]] std::string change(double fraction);

// Three significant digits without a unit; large values with thousands separators.
[[nodiscard]] std::string number(double value);

// A machine-readable number: shortest text that reads back to the same value; empty when it is not finite.
[[nodiscard]] std::string exact(double value);

}  // namespace perfscope::format
