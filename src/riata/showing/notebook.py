"""What HTML shown in a notebook has around it: one small style sheet, for light and dark pages alike."""

from __future__ import annotations

# Colours are see-through and text has the colour of the page, so no theme has to be known.
_STYLE = """
.riata{line-height:1.5;overflow-x:auto}
.riata table{border-collapse:collapse;margin:.6em 0;font-size:.92em}
.riata caption{text-align:left;font-weight:600;padding:.2em 0;caption-side:top;color:inherit}
.riata th,.riata td{padding:.15em .7em;text-align:left;border-bottom:1px solid rgba(128,128,128,.25);vertical-align:top}
.riata thead th{border-bottom:1px solid rgba(128,128,128,.7)}
.riata .t td{font-weight:600}
.riata .n{text-align:right;font-variant-numeric:tabular-nums}
.riata p{margin:.3em 0 .8em;opacity:.75;font-size:.88em}
.riata .s{margin:.35em 0;line-height:2.1}
.riata .c{background:hsla(var(--h),75%,50%,.2);border-radius:.3em;padding:.15em .25em .15em .35em;
-webkit-box-decoration-break:clone;box-decoration-break:clone}
.riata .c b{font-size:.68em;font-weight:600;margin-left:.35em;padding:.05em .3em;border-radius:.3em;
background:hsla(var(--h),75%,50%,.35)}
.riata .e{white-space:nowrap}
.riata .c.x{box-shadow:inset 0 0 0 2px hsla(0,85%,55%,.9)}
.riata .w{display:inline-flex;flex-direction:column;align-items:center;line-height:1.15;vertical-align:top;margin-top:.45em}
.riata .w small{font-size:.66em;opacity:.7}
.riata .w small.x{opacity:1;font-weight:700;color:hsl(0,80%,55%)}
.riata .l{display:grid;grid-template-columns:max-content 1fr;column-gap:1em;margin:.6em 0 1em}
.riata .l>.k{opacity:.7;font-size:.85em;line-height:2.5}
"""


def page(*parts: str) -> str:
    """Parts of a view, with their style."""
    return f'<div class="riata"><style>{_STYLE}</style>{"".join(parts)}</div>'
