// A dependency tree: arcs above the words, from heads to dependents.

const SVG = "http://www.w3.org/2000/svg";
const GAP = 26, LEAST = 10, LEVEL = 34, TOP = 16, FONT = "18px system-ui, sans-serif", SMALL = "600 12.5px system-ui, sans-serif";

function drawn(name, attributes, text) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

const ruler = document.createElement("canvas").getContext("2d");

function widthOf(text, font) {
  ruler.font = font;
  return ruler.measureText(text).width;
}

// How high each arc is: above all arcs that it spans.
function levels(arcs) {
  const found = new Map();
  for (const arc of [...arcs].sort((a, b) => a.right - a.left - (b.right - b.left))) {
    let level = 1;
    for (const [other, its] of found) {
      const apart = other.right <= arc.left || arc.right <= other.left;
      if (!apart) level = Math.max(level, its + 1);
    }
    found.set(arc, level);
  }
  return found;
}

function treeInWords({ tokens, heads, relations }) {
  return tokens.map((token, i) => (heads[i] ? `${token} is ${relations[i]} of ${tokens[heads[i] - 1]}` : `${token} is the root`)).join("; ");
}

// room: the width that there is for it; below a certain distance of words, it is scrolled.
function treeView(sentence, model, differing, room) {
  const { tokens, heads } = sentence, sure = (i) => sureness(sentence.confidence?.relations[i], sentence.margin?.relations[i]);
  const relations = sentence.relations.map((relation, i) => ({ relation, text: `${relation} ${sure(i)}`.trim() }));
  const widths = tokens.map((token, i) => Math.max(widthOf(token, FONT), widthOf(relations[i].text, SMALL) + 8));
  const middle = [];
  const total = widths.reduce((sum, width) => sum + width, 16);
  const gap = Math.max(LEAST, Math.min(GAP, (room - total) / Math.max(1, tokens.length - 1)));
  let x = 8;
  for (const width of widths) {
    middle.push(x + width / 2);
    x += width + gap;
  }
  if (direction(tokens) === "rtl") middle.forEach((at, i) => { middle[i] = x - gap + 8 - at; });
  const arcs = heads.map((head, i) => ({ head: head - 1, to: i, left: Math.min(head - 1, i), right: Math.max(head - 1, i) })).filter((arc) => arc.head >= 0);
  const heights = levels(arcs), highest = Math.max(1, ...heights.values());
  const ground = TOP + LEVEL * (highest + 0.6);
  const svg = drawn("svg", { width: Math.ceil(x - gap + 8), height: ground + 34, role: "img", "aria-label": treeInWords(sentence) });
  for (const arc of arcs) svg.append(...arcView(arc, middle, ground, heights.get(arc), relations[arc.to], model, differing?.has(arc.to)));
  heads.forEach((head, i) => {
    if (head === 0) svg.append(...rootView(middle[i], ground, relations[i], model, differing?.has(i)));
  });
  tokens.forEach((token, i) => svg.append(drawn("text", { class: "word-text", x: middle[i], y: ground + 24 }, token)));
  return made("div", { class: "tree-box", tabindex: "0", role: "group", "aria-label": "Dependency tree" }, svg);
}

function arcView(arc, middle, ground, level, relation, model, differs) {
  const top = ground - LEVEL * level, aside = middle[arc.head] < middle[arc.to] ? 5 : -5;
  const from = middle[arc.head] + aside, to = middle[arc.to] - aside / 3, bend = Math.min(14, Math.abs(to - from) / 2) * Math.sign(to - from);
  const path = `M${from} ${ground} V${top + 12} Q${from} ${top} ${from + bend} ${top} H${to - bend} Q${to} ${top} ${to} ${top + 12} V${ground - 4}`;
  const more = differs ? " differs" : "";
  return [drawn("path", { class: `arc${more}`, d: path }), tipView(to, ground, more), ...relationView((from + to) / 2, top, relation, model)];
}

function rootView(x, ground, relation, model, differs) {
  const more = differs ? " differs" : "";
  return [drawn("path", { class: `arc${more}`, d: `M${x} ${TOP} V${ground - 4}` }), tipView(x, ground, more), ...relationView(x, TOP - 4, relation, model)];
}

function tipView(x, ground, more) {
  return drawn("path", { class: `tip${more}`, d: `M${x} ${ground} l-4 -8 h8 z` });
}

// relation: its name, and the text to show of it.
function relationView(x, y, relation, model) {
  const width = widthOf(relation.text, SMALL) + 8;
  const text = drawn("text", { class: "relation", x, y: y + 4.5 }, relation.text);
  return [drawn("rect", { class: "relation-ground", x: x - width / 2, y: y - 8, width, height: 16 }), hued(text, model, relation.relation)];
}
