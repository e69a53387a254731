"""Times as papers print them: h:m."""

from __future__ import annotations


def seconds(printed: str) -> float:
    hours, minutes = printed.split(":")
    return 60.0 * (60 * int(hours or 0) + int(minutes))


def hours(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60}:{minutes % 60:02d}"
