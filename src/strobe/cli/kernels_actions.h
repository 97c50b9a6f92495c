#pragma once

#include "strobe/cli/command.h"

// What `strobe kernels` does, one file each.
namespace strobe::cli {

Command kernels_show_action();
Command kernels_roofline_action();
Command kernels_fuse_action();
Command kernels_diff_action();
Command kernels_convert_action();
Command kernels_record_action();
Command kernels_metrics_action();

}  // namespace strobe::cli
