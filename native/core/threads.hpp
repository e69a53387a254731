// A range of work cut into as many pieces as there are threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace riata {

// Calls work(low, high, main) on disjoint ranges that cover 0 .. count - 1; the last range runs in the calling thread, and only
// there is `main` true. Rethrows the first exception once all are done.
template <class Work>
void in_ranges(std::int64_t count, std::int32_t threads, Work work) {
  const std::int64_t pieces = std::clamp<std::int64_t>(threads, 1, std::max<std::int64_t>(count, 1));
  std::vector<std::exception_ptr> failed(static_cast<std::size_t>(pieces));
  const auto run = [&](std::int64_t k) noexcept {
    try {
      work(count * k / pieces, count * (k + 1) / pieces, k == pieces - 1);
    } catch (...) {
      failed[static_cast<std::size_t>(k)] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::int64_t k = 0; k + 1 < pieces; ++k) others.emplace_back(run, k);
    run(pieces - 1);
  }
  for (const std::exception_ptr& error : failed) {
    if (error) std::rethrow_exception(error);
  }
}

}  // namespace riata
