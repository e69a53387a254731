// The kinds of numbers that stand side by side in signatures. Each has a type of its own, so that the compiler refuses one in the place of
// another. Arrays of such numbers, and positions of tokens, are plain.
#pragma once

#include <cstdint>

#include "core/id.hpp"

namespace riata {

// Outputs.
struct LabelKind;
struct TagKind;
struct ChunkKind;
struct LengthKind;
using LabelId = Id<LabelKind>;  // the label of a token or of a segment
using TagId = Id<TagKind>;      // where a token has a tag and a chunk label: its tag,
using ChunkId = Id<ChunkKind>;  // and its chunk label
using Length = Id<LengthKind>;  // how many tokens a segment has

// Tokens before and after a segment of this length.
constexpr std::int32_t operator+(std::int32_t position, Length length) noexcept { return position + length.number(); }
constexpr std::int32_t operator-(std::int32_t position, Length length) noexcept { return position - length.number(); }

// Features.
struct SlotKind;
struct GroupKind;
struct NgramKind;
struct ContextKind;
struct RootKind;
struct RowKind;
using SlotId = Id<SlotKind>;        // a template, among those of its model
using GroupId = Id<GroupKind>;      // templates that read the same outputs
using NgramId = Id<NgramKind>;      // an n-gram, among those of its family; none: the template reads no n-gram
using ContextId = Id<ContextKind>;  // what templates read of the outputs before
using RootId = Id<RootKind>;        // a template with a context, where rows of sequences begin
using RowId = Id<RowKind>;          // a line of weights; none: it has not entered the model

}  // namespace riata
