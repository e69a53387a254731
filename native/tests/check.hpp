// A minimal test harness that reports where a check failed.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace riata::test {

inline void check(bool ok, const char* what, const char* file, int line) {
  if (ok) return;
  std::fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
  std::exit(1);
}

}  // namespace riata::test

#define CHECK(condition) riata::test::check((condition), #condition, __FILE__, __LINE__)
