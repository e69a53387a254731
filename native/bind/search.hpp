// Queues and their limits from a dictionary of settings.
#pragma once

#include "bind/settings.hpp"
#include "inference/search/engine.hpp"
#include "inference/search/queue.hpp"

namespace riata::bind {

inline QueueSpec queue_of(const nb::dict& settings) { return QueueSpec::of(as_settings(settings)); }
inline Limits limits_of(const nb::dict& settings) { return riata::limits_of(as_settings(settings)); }

}  // namespace riata::bind
