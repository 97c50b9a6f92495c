#include "strobe/tensorboard/views.h"

namespace strobe::tensorboard {

class Profile {};

Result<std::shared_ptr<const Profile>> read_profile(std::string_view, const ProfileOptions&) {
  return Error{ErrorCode::kMalformed, "no profile can be read", "", ""};
}

Answer answer(std::string_view, const Parameters&, const RunLookup&) {
  return {.status = 404, .content_type = "text/html", .gzip = false, .body = "not found"};
}

}  // namespace strobe::tensorboard
