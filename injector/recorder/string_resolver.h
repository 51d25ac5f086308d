// StringChunk records -> texts, by the string ids of one process; and the pool that gives each distinct text
// its ids in the database once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace perfscope {

// A distinct text. The ids are 0 until a row of that table was made for it.
struct PooledText {
  std::string text;
  int64_t kernel_name_id = 0;
  int64_t string_id = 0;
};

// Texts of all processes of the session. Addresses stay valid.
class TextPool {
 public:
  PooledText& intern(std::string_view text);
  [[nodiscard]] size_t size() const { return m_texts.size(); }

 private:
  std::unordered_map<std::string, PooledText> m_texts;
};

// One piece of a text as the spool carries it (plain values of a StringChunk).
struct TextPiece {
  uint32_t string_id = 0;
  uint16_t offset_chunks = 0;
  bool last = false;
  std::string_view text;
};

// The strings of one process. Pieces of one text come in order; ids may be used before their text arrives.
class StringResolver {
 public:
  explicit StringResolver(TextPool& pool) : m_pool(&pool) {}
  enum class Outcome { Incomplete, Complete, Torn };
  Outcome add(const TextPiece& piece);
  // nullptr while the text is not complete.
  [[nodiscard]] PooledText* find(uint32_t string_id) const;
  // For the end of a process: the part that arrived, marked as cut; nullptr when nothing did.
  PooledText* finishPartial(uint32_t string_id);

 private:
  TextPool* m_pool;
  std::unordered_map<uint32_t, PooledText*> m_texts;
  std::unordered_map<uint32_t, std::string> m_partial;
};

}  // namespace perfscope
