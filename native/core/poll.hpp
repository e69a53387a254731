// Long loops ask now and then whether to go on.
#pragma once

#include <cstdint>
#include <functional>

namespace riata {

// Called now and then from long loops with the number of sentences done; returns false to stop.
using Poll = std::function<bool(std::int64_t)>;

// Says when to poll: after a fixed amount of work, however long the sentences and however many the labels.
class PollClock {
 public:
  explicit PollClock(std::int32_t labels) noexcept : per_token_(std::int64_t{labels} * labels + 500) {}
  bool due(std::int64_t tokens) noexcept {
    left_ -= tokens * per_token_;
    if (left_ > 0) return false;
    left_ = work;
    return true;
  }

 private:
  static constexpr std::int64_t work = 2'000'000;  // about a millisecond
  std::int64_t per_token_;
  std::int64_t left_ = 0;  // the first question is always due
};

}  // namespace riata
