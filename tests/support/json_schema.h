// Just enough of JSON Schema 2020-12 to check our own schema: $ref to $defs, type, const, enum, required,
// properties, additionalProperties (as a schema), items, min/maxItems, minimum, maximum, minLength, anyOf,
// allOf, if/then.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace perfscope::test {

// Violations, each with its place in the document; empty = valid. An unknown keyword in the schema is a
// violation, so that the schema cannot outgrow this check unnoticed.
std::vector<std::string> schemaViolations(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace perfscope::test
