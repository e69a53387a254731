// How long loops ask whether to continue.
#pragma once

#include <cstdint>
#include <functional>

namespace riata {

// Called at intervals from long loops with the number of sentences done. Returns false to stop the loop.
using Poll = std::function<bool(std::int64_t)>;

// Determines when to poll: after a fixed amount of work, whatever the lengths of sentences and the number of labels.
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
  static constexpr std::int64_t work = 2'000'000;  // in operations; takes about a millisecond
  std::int64_t per_token_;
  std::int64_t left_ = 0;  // so that the first call of `due` returns true
};

}  // namespace riata
