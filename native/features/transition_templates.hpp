// What the features of a transition-based parser read of a state (see src/riata/structures/transitions/templates.py).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "features/index.hpp"

namespace riata {

// A place of a state: a token of the stack, of those to come or of those pushed last, and from there a child or a head.
struct ParserPlace {
  static constexpr std::int32_t depth = 4;  // tokens of the stack, and as many to come
  static constexpr std::int32_t past = 2;   // tokens before those that have never been pushed
  static constexpr std::int32_t bases = 2 * depth + past;
  enum Hop : std::int32_t { itself, left, left2, right, right2, head, head2 };
  static constexpr std::int32_t hops = head2 + 1;

  std::int32_t base = 0;  // below `depth`: from the top of the stack; then tokens to come; then tokens pushed before, the last one first
  std::int32_t hop = itself;
  bool operator==(const ParserPlace&) const = default;
};

// One value of a state.
struct ParserPart {
  // tag: the one that was chosen for a token or, if it has never been pushed, the likeliest.
  enum Kind : std::int32_t { ngram, relation, lefts, rights, left_set, right_set, distance, tag };
  static constexpr std::int32_t kinds = tag + 1;

  std::int32_t kind = ngram;
  std::int32_t place = 0;   // among the places of the templates
  std::int32_t other = -1;  // of a distance: the other place; of an n-gram: its family
  std::int32_t offset = 0;  // of an n-gram's first position, from the token
};

class TransitionTemplates {
 public:
  static constexpr std::int32_t most_parts = 4, most_templates = 255;

  // templates: for each, the parts that it reads, at most four.
  TransitionTemplates(const FeatureIndex& index, std::vector<ParserPlace> places, std::vector<ParserPart> parts,
                      std::vector<std::vector<std::int32_t>> templates)
      : places_(std::move(places)), parts_(std::move(parts)), templates_(std::move(templates)) {
    const auto number_of = [](const auto& list) { return static_cast<std::int32_t>(list.size()); };
    for (const ParserPlace& place : places_) {
      check(place.base >= 0 && place.base < ParserPlace::bases && place.hop >= 0 && place.hop < ParserPlace::hops);
      const std::int32_t up = place.hop == ParserPlace::head    ? 1
                              : place.hop == ParserPlace::head2 ? 2
                                                                : 0;  // heads lie below, on the stack
      check(up == 0 || place.base + up < ParserPlace::depth);
      check(place.hop == ParserPlace::itself || place.base < 2 * ParserPlace::depth);
    }
    for (const ParserPart& part : parts_) {
      check(part.kind >= 0 && part.kind < ParserPart::kinds && part.place >= 0 && part.place < number_of(places_));
      if (part.kind == ParserPart::ngram) check(part.other >= 0 && part.other < index.families());
      if (part.kind == ParserPart::distance) check(part.other >= 0 && part.other < number_of(places_));
    }
    check(number_of(templates_) <= most_templates);
    for (const std::vector<std::int32_t>& read : templates_) {
      check(!read.empty() && number_of(read) <= most_parts);
      for (const std::int32_t part : read) check(part >= 0 && part < number_of(parts_));
    }
  }

  const std::vector<ParserPlace>& places() const noexcept { return places_; }
  const std::vector<ParserPart>& parts() const noexcept { return parts_; }
  const std::vector<std::vector<std::int32_t>>& templates() const noexcept { return templates_; }

 private:
  static void check(bool ok) {
    if (!ok) throw Error("TemplateError", "the templates of parser states are inconsistent");
  }

  std::vector<ParserPlace> places_;
  std::vector<ParserPart> parts_;
  std::vector<std::vector<std::int32_t>> templates_;
};

}  // namespace riata
