// Outputs by a dynamic program: the sets of parts that the ways through a tape use.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "inference/parts/output_set.hpp"
#include "inference/tape/tape.hpp"

namespace riata {

// Part number p is cell p of the tape. Every output should have one way through the tape: sums and lists count ways. A way that uses a
// part twice is an error.
class Recursion final : public OutputSet {
 public:
  // parts: how many; the tape may have more cells for them, which no way uses.
  Recursion(Tape tape, std::int64_t parts) : tape_(std::move(tape)), parts_(parts) {}

  std::int64_t parts() const noexcept override { return parts_; }
  std::unique_ptr<PartSolver> solver() const override;
  const Tape& tape() const noexcept { return tape_; }

 private:
  Tape tape_;
  std::int64_t parts_;
};

}  // namespace riata
