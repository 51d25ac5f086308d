// Access to the embedded JSON Schema.
#include "schemas/report_schema.h"

#include "generated/report_schema_json.h"

namespace perfscope {

std::string_view reportJsonSchema() {
  return embedded::kReportSchemaJson;
}

}  // namespace perfscope
