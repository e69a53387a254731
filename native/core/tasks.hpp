// Work in pieces, some of which wait for others, done by several threads.
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
  // A piece that starts when those before it, named by their numbers, are done; returns its own number.
  std::size_t add(std::function<void()> work, const std::vector<std::size_t>& before = {}) {
    for (const std::size_t other : before) pieces_[other].after.push_back(pieces_.size());
    pieces_.push_back({std::move(work), {}, before.size()});
    return pieces_.size() - 1;
  }

  // Does all pieces once, those of lower number first where there is a choice. If some throw, one of their exceptions leaves
  // when all threads have ended, and pieces that had not begun are left undone.
  void run(std::int64_t threads) {
    left_ = pieces_.size();
    for (std::size_t p = 0; p < pieces_.size(); ++p) {
      if (pieces_[p].waits == 0) ready_.insert(p);
    }
    const std::int64_t helpers = std::min<std::int64_t>(threads, static_cast<std::int64_t>(pieces_.size())) - 1;
    std::vector<std::thread> others;
    try {
      for (std::int64_t t = 0; t < helpers; ++t) others.emplace_back([this] { work(); });
    } catch (const std::exception&) {  // no more threads, or no memory for one: fewer do it too, and those that run are joined
    }
    work();
    for (std::thread& other : others) other.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Piece {
    std::function<void()> work;
    std::vector<std::size_t> after;  // pieces that wait for this one
    std::size_t waits;               // pieces that this one still waits for
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

// work(number, what it works with) for all numbers below count, each by whichever thread is free; every thread works with one `make` of its
// own.
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

// visit(from, to) for parts of 0 to size, each by one thread.
template <class Visit>
void in_parts(std::int64_t size, std::int64_t threads, Visit visit) {
  if (threads <= 1) return visit(0, size);
  Tasks parts;
  for (std::int64_t part = 0; part < threads; ++part) parts.add([=, &visit] { visit(size * part / threads, size * (part + 1) / threads); });
  parts.run(threads);
}

}  // namespace riata
