// How values are written, and elements made. Text of users becomes text of elements, never markup.

const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ud800-\udfff]/gu;

// In characters that only stand for themselves, as visible() of Python does.
function visible(value) {
  return said(value).replace(HIDDEN, (char) => {
    const code = char.codePointAt(0);
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return code === 0x7f ? "␡" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

// As Python writes it.
function said(value) {
  if (value === null || value === undefined) return "None";
  if (value === true || value === false) return value ? "True" : "False";
  return Array.isArray(value) ? value.map(said).join(" ") : String(value);
}

function short(value, most) {
  const chars = [...visible(value)];
  return chars.length <= most ? chars.join("") : chars.slice(0, most - 1).join("") + "…";
}

function number(value, digits = 2) {
  if (value === null || value === undefined) return "–";
  const text = Math.abs(value) >= 1e7 ? value.toExponential(2) : value.toFixed(digits);
  return text.replace("-", "−");
}

// Decimal places that tell values of this size apart.
function digitsFor(largest) {
  return Math.max(2, Math.min(8, 2 - Math.floor(Math.log10(largest || 1))));
}

// Decimal places that tell these values apart, three or more.
function telling(values) {
  for (let digits = 3; digits < 6; digits++) {
    if (new Set(values.map((value) => number(value, digits))).size === new Set(values).size) return digits;
  }
  return 6;
}

function signed(value, digits = 2) {
  return (value > 0 ? "+" : "") + number(value, digits);
}

// A value of a feature: mostly 1.
function whole(value) {
  return String(Number(value.toFixed(3))).replace("-", "−");
}

function counted(count, one, many) {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

function make(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

function draw(tag, attributes = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Text of a user: its direction is its own.
function quoted(value, tag = "bdi", attributes = {}) {
  return make(tag, { dir: "auto", ...attributes }, visible(value));
}

function byId(id) {
  return document.getElementById(id);
}
