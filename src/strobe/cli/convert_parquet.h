#pragma once

#include "strobe/base/result.h"
#include "strobe/cli/convert_request.h"

namespace strobe::cli {

// Fills the folder of the request with a Parquet file per table of `strobe query`. The files of the
// folder are replaced when all are complete.
Result<void> convert_to_parquet(const ConvertRequest& request, const Terminal& terminal);

}  // namespace strobe::cli
