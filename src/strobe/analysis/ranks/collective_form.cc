#include "strobe/analysis/ranks/collective_form.h"

#include "strobe/device/vendor_names.h"

namespace strobe::analysis {

CollectiveForm host_collective_form(std::string_view name, bool is_operator) {
  if (device::is_host_exchange(name)) return CollectiveForm::kExchange;
  if (device::is_library_range(name)) return CollectiveForm::kLibraryCall;
  if (!is_operator || !device::is_collective_call(name)) return CollectiveForm::kNone;
  return name.starts_with("record_param_comms") ? CollectiveForm::kParameters
                                                : CollectiveForm::kOperator;
}

}  // namespace strobe::analysis
