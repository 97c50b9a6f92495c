#pragma once

#include "strobe/tensorboard/answer.h"
#include "strobe/tensorboard/span_communication.h"

// The views of worker `All`.
namespace strobe::tensorboard {

Answer answer_device_info(const SpanCommunication& span);
Answer answer_overlap(const SpanCommunication& span);
Answer answer_wait_time(const SpanCommunication& span);
Answer answer_operations(const SpanCommunication& span);

}  // namespace strobe::tensorboard
