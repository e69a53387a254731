// Work in pieces, some of which depend on others, done by several threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace riata {

class Tasks {
 public:
  // Adds a piece that starts when the pieces `before`, given by their numbers, are done. Returns its number.
  std::size_t add(std::function<void()> work, const std::vector<std::size_t>& before = {}) {
    for (const std::size_t other : before) pieces_[other].after.push_back(pieces_.size());
    pieces_.push_back({std::move(work), {}, before.size()});
    return pieces_.size() - 1;
  }

  // Does all pieces once; of pieces that are ready, the lowest number first. If pieces throw, one of the exceptions is rethrown when all
  // threads have ended, and pieces that have not begun are not done.
  void run(std::int64_t threads) {
    left_ = pieces_.size();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (pieces_[p].waits == 0) ready_.insert(p);
    }
    const std::int64_t helpers = std::min<std::int64_t>(threads, static_cast<std::int64_t>(pieces_.size())) - 1;
    std::vector<std::thread> others;
    try {
      for (std::int64_t t = 0; t < helpers; ++t) others.emplace_back([this] { work(); });
    } catch (const std::exception&) {  // no more threads, or no memory for one: the threads that run do the work, and are joined
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Piece {
    std::function<void()> work;
    std::vector<std::size_t> after;  // pieces that wait for this one
    std::size_t waits;               // number of pieces that this one still waits for
  };

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return !ready_.empty() || left_ == 0 || failure_; });
      if (left_ == 0 || failure_) return;
      const std::size_t p = *ready_.begin();
      ready_.erase(ready_.begin());
      lock.unlock();
      std::exception_ptr failure;
      try {
        pieces_[p].work();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure && !failure_) failure_ = failure;
      for (const std::size_t other : pieces_[p].after) {
        if (--pieces_[other].waits == 0) ready_.insert(other);
      }
      --left_;
      changed_.notify_all();
    }
  }

  std::vector<Piece> pieces_;
  std::set<std::size_t> ready_;
  std::size_t left_ = 0;  // pieces that are not done
  std::exception_ptr failure_;
  std::mutex mutex_;
  std::condition_variable changed_;
};

// Calls work(number, own) for all numbers below count, each from any free thread. own: an object that `make` creates once per thread.
template <class Make, class Work>
void hand_out(std::int64_t count, std::int64_t threads, Make make, Work work) {
  std::atomic<std::int64_t> next = 0;
  Tasks workers;
  for (std::int64_t worker = 0; worker < threads; ++worker) {
    workers.add([&] {
      auto own = make();
      for (std::int64_t k = next++; k < count; k = next++) work(k, own);
    });
  }
  workers.run(threads);
}

// Calls visit(from, to) for consecutive parts of 0 to size - 1, one part per thread; `to` is excluded.
template <class Visit>
void in_parts(std::int64_t size, std::int64_t threads, Visit visit) {
  if (threads <= 1) return visit(0, size);
  Tasks parts;
  for (std::int64_t part = 0; part < threads; ++part) parts.add([=, &visit] { visit(size * part / threads, size * (part + 1) / threads); });
  parts.run(threads);
}

}  // namespace riata
