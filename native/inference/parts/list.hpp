// Outputs of a single part: one of several candidates.
#pragma once

#include <cstdint>
#include <memory>

#include "inference/parts/output_set.hpp"

namespace riata {

class CandidateList final : public OutputSet {
 public:
  explicit CandidateList(std::int64_t parts) : parts_(parts) {}
  std::int64_t parts() const noexcept override { return parts_; }
  std::unique_ptr<PartSolver> solver() const override;

 private:
  std::int64_t parts_;
};

}  // namespace riata
