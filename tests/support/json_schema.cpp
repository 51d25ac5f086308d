// The validator.
#include "tests/support/json_schema.h"

#include <algorithm>
#include <set>

namespace perfscope::test {
namespace {

using Json = nlohmann::json;

class Validator {
 public:
  explicit Validator(const Json& root) : m_root(root) {}

  void check(const Json& schema, const Json& value, const std::string& at) {
    if (schema.contains("$ref")) check(resolve(schema["$ref"]), value, at);
    for (const auto& [keyword, rule] : schema.items()) apply(keyword, rule, schema, value, at);
  }

  std::vector<std::string> found;

 private:
  [[nodiscard]] const Json& resolve(const std::string& reference) const {
    return m_root.at(Json::json_pointer(reference.substr(1)));  // "#/$defs/x"
  }

  [[nodiscard]] bool valid(const Json& schema, const Json& value) const {
    Validator inner(m_root);
    inner.check(schema, value, "");
    return inner.found.empty();
  }

  static bool hasType(const Json& value, const std::string& type) {
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "null") return value.is_null();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
  }

  static bool typeMatches(const Json& rule, const Json& value) {
    if (rule.is_string()) return hasType(value, rule);
    for (const auto& one : rule) {
      if (hasType(value, one)) return true;
    }
    return false;
  }

  void require(bool good, const std::string& at, const std::string& what) {
    if (!good) found.push_back(at + ": " + what);
  }

  void apply(const std::string& keyword, const Json& rule, const Json& schema, const Json& value,
             const std::string& at) {
    static const std::set<std::string> kWords = {"$ref",  "$schema",     "$id", "$defs",
                                                 "title", "description", "then"};
    if (kWords.count(keyword) != 0) return;
    if (keyword == "type") {
      require(typeMatches(rule, value), at, "is " + value.dump().substr(0, 40) + ", not " + rule.dump());
    } else if (keyword == "const") {
      require(value == rule, at, "is not " + rule.dump());
    } else if (keyword == "enum") {
      require(std::find(rule.begin(), rule.end(), value) != rule.end(), at,
              value.dump() + " is not one of " + rule.dump());
    } else if (keyword == "anyOf") {
      bool any = false;
      for (const auto& one : rule) any = any || valid(one, value);
      require(any, at, value.dump().substr(0, 40) + " matches none of " + rule.dump().substr(0, 80));
    } else if (keyword == "allOf") {
      for (const auto& one : rule) check(one, value, at);
    } else if (keyword == "if") {
      if (valid(rule, value)) check(schema.at("then"), value, at);
    } else {
      applyByType(keyword, rule, value, at);
    }
  }

  void applyByType(const std::string& keyword, const Json& rule, const Json& value, const std::string& at) {
    if (keyword == "required") {
      for (const std::string key : rule)
        require(!value.is_object() || value.contains(key), at, "lacks " + key);
    } else if (keyword == "properties" || keyword == "additionalProperties") {
      checkMembers(keyword, rule, value, at);
    } else if (keyword == "items") {
      for (size_t i = 0; value.is_array() && i < value.size(); ++i)
        check(rule, value[i], at + "/" + std::to_string(i));
    } else if (keyword == "minItems" || keyword == "maxItems") {
      const bool good =
          keyword == "minItems" ? value.size() >= rule.get<size_t>() : value.size() <= rule.get<size_t>();
      require(!value.is_array() || good, at, "has " + std::to_string(value.size()) + " items");
    } else if (keyword == "minimum" || keyword == "maximum") {
      if (!value.is_number()) return;
      require(keyword == "minimum" ? value >= rule : value <= rule, at, value.dump() + " is out of range");
    } else if (keyword == "minLength") {
      require(!value.is_string() || value.get<std::string>().size() >= rule.get<size_t>(), at,
              "is too short");
    } else {
      found.push_back(at + ": the schema uses the unknown keyword " + keyword);
    }
  }

  void checkMembers(const std::string& keyword, const Json& rule, const Json& value, const std::string& at) {
    if (!value.is_object()) return;
    for (const auto& [key, member] : value.items()) {
      if (keyword == "additionalProperties") {
        check(rule, member, at + "/" + key);
      } else if (rule.contains(key)) {
        check(rule[key], member, at + "/" + key);
      }
    }
  }

  const Json& m_root;
};

}  // namespace

std::vector<std::string> schemaViolations(const nlohmann::json& schema, const nlohmann::json& document) {
  Validator validator(schema);
  validator.check(schema, document, "");
  return validator.found;
}

}  // namespace perfscope::test
