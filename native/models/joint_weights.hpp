// A tag and a chunk label per token as one number, and the weights that score them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/kernels.hpp"
#include "core/kinds.hpp"
#include "core/numbers.hpp"
#include "features/index.hpp"
#include "features/joint_rows.hpp"
#include "features/joint_templates.hpp"

namespace riata {

// The outputs and their codes: the tag and the chunk label of a token are one number, the code of the token.
struct JointCoding : OutputCounts {
  std::int32_t ahead = 0;  // 1: an operator gives the tag of a token and the chunk label of the token before; 0: both of one token
  // [chunks], [chunks], [chunks * chunks]: which chunk labels may start and end a sentence, and follow another
  std::vector<std::uint8_t> start, end, follow;

  std::int32_t code(TagId tag, ChunkId chunk) const noexcept { return tag.number() * chunks + chunk.number(); }
  TagId tag(std::int32_t code) const noexcept { return TagId(code / chunks); }
  ChunkId chunk(std::int32_t code) const noexcept { return ChunkId(code % chunks); }
  bool starts(ChunkId chunk) const noexcept { return start[chunk.place()] != 0; }
  bool ends(ChunkId chunk) const noexcept { return end[chunk.place()] != 0; }
  bool follows(ChunkId before, ChunkId chunk) const noexcept { return follow[before.place() * chunks + chunk.place()] != 0; }
};

// Where rows stand in one long vector: first features of the input alone, by output and family; then the rows that grow.
class JointLayout {
 public:
  JointLayout() = default;  // for a model without features
  JointLayout(const FeatureIndex& index, const JointTemplates& templates, const JointCoding& coding)
      : strides_{padded(coding.tags), padded(coding.chunks)} {
    for (const Output output : {Output::tag, Output::chunk}) {
      for (std::int32_t f = 0; f < index.families(); ++f) {
        starts_[number(output)].push_back(size);
        blocks_.push_back(size);
        size += std::int64_t{index.size(f)} * templates.slots_of(output, f) * stride(output);
      }
    }
    blocks_.push_back(size);
  }

  std::int32_t stride(Output output) const noexcept { return strides_[number(output)]; }
  std::int64_t row(const JointSlot& slot, NgramId id) const noexcept {
    return starts_[number(slot.output)][slot.family] + (std::int64_t{id.number()} * slot.slots + slot.slot) * stride(slot.output);
  }
  std::int64_t grown_row(const JointRows& rows, RowId row) const noexcept { return size + rows.start(row); }
  std::int64_t whole(const JointRows& rows) const noexcept { return size + rows.size(); }

  // A vector of an earlier layout, moved to the places of this layout. Weights of features that have been added since are 0.
  template <class Real>
  Numbers<Real> moved(const Numbers<Real>& old, const JointLayout& from) const {
    Numbers<Real> out(static_cast<std::size_t>(size), Real{0});
    for (std::size_t b = 0; b + 1 < std::min(blocks_.size(), from.blocks_.size()); ++b)
      std::copy(old.begin() + from.blocks_[b], old.begin() + from.blocks_[b + 1], out.begin() + blocks_[b]);
    out.insert(out.end(), old.begin() + from.size, old.end());
    return out;
  }

  std::int64_t size = 0;  // of the vector, without the rows that grow

 private:
  std::int32_t strides_[outputs] = {};
  std::vector<std::int64_t> starts_[outputs];  // [F]
  std::vector<std::int64_t> blocks_;           // where all blocks of both outputs start, in order, and the end
};

template <class Real>
struct JointWeights {
  JointCoding coding;
  JointRows rows;
  Numbers<Real> flat;  // the long vector that `layout` describes
  JointLayout layout = {};
};

}  // namespace riata
