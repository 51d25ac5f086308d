// Assembly of texts from chunks.
#include "injector/recorder/string_resolver.h"

#include "injector/recorder/kernel_name.h"

namespace perfscope {
namespace {
constexpr size_t kPieceBytes = 48;         // bytes of every piece but the last
constexpr size_t kMaxTextBytes = 262144;   // longer texts are cut: a name is not a payload
constexpr size_t kMaxPartialTexts = 1024;  // one writer: more than a few open texts are garbage
}  // namespace

PooledText& TextPool::intern(std::string_view text) {
  std::string key(text);
  const auto [entry, fresh] = m_texts.try_emplace(key);
  if (fresh) entry->second.text = std::move(key);
  return entry->second;
}

StringResolver::Outcome StringResolver::add(const TextPiece& piece) {
  if (piece.string_id == 0 || piece.text.size() > kPieceBytes) return Outcome::Torn;
  if (piece.offset_chunks == 0 && piece.last) {
    m_texts[piece.string_id] = &m_pool->intern(cleanText(piece.text));
    return Outcome::Complete;
  }
  if (piece.offset_chunks != 0 && m_partial.find(piece.string_id) == m_partial.end()) return Outcome::Torn;
  if (m_partial.size() >= kMaxPartialTexts && piece.offset_chunks == 0) m_partial.clear();
  std::string& text = m_partial[piece.string_id];
  if (piece.offset_chunks == 0) text.clear();
  if (text.size() < kMaxTextBytes && text.size() != piece.offset_chunks * kPieceBytes) {
    m_partial.erase(piece.string_id);
    return Outcome::Torn;
  }
  if (text.size() < kMaxTextBytes) text += piece.text;
  if (!piece.last) return Outcome::Incomplete;
  m_texts[piece.string_id] = &m_pool->intern(cleanText(text));
  m_partial.erase(piece.string_id);
  return Outcome::Complete;
}

PooledText* StringResolver::find(uint32_t string_id) const {
  const auto found = m_texts.find(string_id);
  return found == m_texts.end() ? nullptr : found->second;
}

PooledText* StringResolver::finishPartial(uint32_t string_id) {
  const auto found = m_partial.find(string_id);
  if (found == m_partial.end()) return nullptr;
  PooledText& text = m_pool->intern(cleanText(found->second) + " [cut]");
  m_texts[string_id] = &text;
  m_partial.erase(found);
  return &text;
}

}  // namespace perfscope
