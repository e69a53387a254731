// The tree as a picture of its own, an SVG file: what is in view of the present step, with its colours.

const LOOKS = ["fill", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "font-size", "font-weight", "font-style", "text-anchor"];

function saveSvg(tree, step) {
  const url = URL.createObjectURL(new Blob([standalone(tree)], { type: "image/svg+xml" }));
  make("a", { href: url, download: `search-step-${step}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

function standalone({ heads, tree, box }) {
  const shown = [...tree.querySelectorAll(".node, .more, .caption")].filter(isShown).map(placed);
  const width = Math.max(...shown.map((place) => place.right)) + PAD;
  const height = HEAD + Math.max(...shown.map((place) => place.bottom)) + PAD;
  const ground = draw("rect", { width, height, fill: getComputedStyle(box).backgroundColor });
  const body = draw("g", { transform: `translate(0 ${HEAD})` }, ...copies(tree));
  const heading = draw("g", {}, ...copies(heads, (text) => Number(text.getAttribute("x")) < width));
  const svg = draw("svg", {
    xmlns: "http://www.w3.org/2000/svg", width, height, viewBox: `0 0 ${width} ${height}`,
    "font-family": getComputedStyle(document.body).fontFamily, "font-size": getComputedStyle(tree).fontSize,
  }, draw("title", {}, document.title), ground, heading, body);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(svg)}\n`;
}

function isShown(element) {
  return getComputedStyle(element).visibility !== "hidden";
}

// The right and lower edge in the tree.
function placed(element) {
  const box = element.getBBox();
  const { e, f } = element.transform.baseVal.consolidate()?.matrix ?? { e: 0, f: 0 };
  return { right: e + box.x + box.width, bottom: f + box.y + box.height };
}

// The visible children, with what the style sheet says of them written into them.
function copies(parent, wanted = () => true) {
  return [...parent.children].filter((child) => isShown(child) && wanted(child)).map((child) => {
    const copy = child.cloneNode(false);
    for (const { name } of [...copy.attributes]) if (/^(class|role|tabindex|aria-)/.test(name)) copy.removeAttribute(name);
    const look = getComputedStyle(child);
    if (child.tagName !== "g" && child.tagName !== "title") for (const name of LOOKS) copy.setAttribute(name, look.getPropertyValue(name));
    if (child.children.length) copy.append(...mixed(child)); else copy.textContent = child.textContent;
    return copy;
  });
}

// Children and the text between them, as in a label with its mark.
function mixed(parent) {
  const made = copies(parent);
  return [...parent.childNodes].map((child) => child.nodeType === Node.TEXT_NODE ? child.data : isShown(child) ? made.shift() : null).filter((child) => child !== null);
}
