#pragma once

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/span_communication.h"

namespace strobe::tensorboard {

// `view`: gpuinfo (or mluinfo), overlap, waittime, commops.
Answer answer_distributed(std::string_view view, const Run& run, std::string_view span);

Answer answer_device_info(const SpanCommunication& span);
Answer answer_overlap(const SpanCommunication& span);
Answer answer_wait_time(const SpanCommunication& span);
Answer answer_operations(const SpanCommunication& span);

}  // namespace strobe::tensorboard
