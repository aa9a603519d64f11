// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The picture: a canvas, redrawn as a whole, and the view on it.

const canvas = $('map'), pen = canvas.getContext('2d');
const kMargin = {left: 92, right: 10, top: 78, bottom: 34};
// Hue, saturation, lightness in light and dark.
const kColours = {
  constant: [215, 16, 68, 38], slot: [145, 55, 45, 40], activation: [214, 75, 60, 52], scratch: [36, 90, 55, 48],
  state: [280, 55, 60, 55], host: [178, 60, 42, 40], stream: [258, 45, 72, 45], command: [330, 65, 58, 58],
};

const state = {panels: [], panel: null, view: null, hover: null, selected: null, matches: [], matched: null};
let size = {width: 0, height: 0};

// Neighbouring activations get slightly different colours.
const turnOf = block => block.kind === 'activation' ? block.number * 7 % 5 - 2 : 0;
function colourOf(block) {
  const [hue, saturation, light, dark] = kColours[block.kind] || [0, 0, 60, 50];
  return `hsl(${hue + turnOf(block) * 7} ${saturation}% ${isDark() ? dark : light}%)`;
}

// ---- Where things are

const mapWidth = () => Math.max(1, size.width - kMargin.left - kMargin.right);
const mapHeight = () => Math.max(1, size.height - kMargin.top - kMargin.bottom);
const xOf = time => kMargin.left + (time - state.view.t0) / (state.view.t1 - state.view.t0) * mapWidth();
const yOf = offset => kMargin.top + (1 - (offset - state.view.a0) / (state.view.a1 - state.view.a0)) * mapHeight();
const timeAt = x => state.view.t0 + (x - kMargin.left) / mapWidth() * (state.view.t1 - state.view.t0);
const offsetAt = y => state.view.a0 + (1 - (y - kMargin.top) / mapHeight()) * (state.view.a1 - state.view.a0);
const isOnMap = (x, y) => x >= kMargin.left && x < size.width - kMargin.right && y >= kMargin.top && y < size.height - kMargin.bottom;

function setView(t0, t1, a0, a1) {
  // The view covers at least half a point and 64 bytes, and never leaves the map.
  const whole = Math.max(points, 1), top = Math.max(state.panel.memory.total, 64);
  const timeSpan = Math.min(Math.max(t1 - t0, .5), whole * 1.5), span = Math.min(Math.max(a1 - a0, 64), top * 1.2);
  const t = Math.min(Math.max((t0 + t1) / 2, 0), whole), a = Math.min(Math.max((a0 + a1) / 2, 0), top);
  state.view = {t0: t - timeSpan / 2, t1: t + timeSpan / 2, a0: a - span / 2, a1: a + span / 2};
  redraw();
}
function fit(planned) {
  const [low, high] = state.panel.extent(planned), room = (high - low) * .03;
  setView(0, Math.max(points, 1), low - room, high + room);
}
function fitPeak() {
  const [low, high] = state.panel.extent(true), room = (high - low) * .03, half = Math.max(6, points / 40);
  setView(state.panel.peakTime + .5 - half, state.panel.peakTime + .5 + half, low - room, high + room);
}
function zoom(factor, x, y, axes = 'ta') {
  const {t0, t1, a0, a1} = state.view, t = timeAt(x), a = offsetAt(y);
  const ft = axes.includes('t') ? factor : 1, fa = axes.includes('a') ? factor : 1;
  setView(t - (t - t0) * ft, t + (t1 - t) * ft, a - (a - a0) * fa, a + (a1 - a) * fa);
}
const zoomMiddle = (factor, axes) => zoom(factor, kMargin.left + mapWidth() / 2, kMargin.top + mapHeight() / 2, axes);
function pan(dx, dy) { // in parts of the map
  const {t0, t1, a0, a1} = state.view, t = dx * (t1 - t0), a = dy * (a1 - a0);
  setView(t0 + t, t1 + t, a0 + a, a1 + a);
}
function reveal(block) {
  const {t0, t1, a0, a1} = state.view;
  const timeIn = block.always || (block.begin < t1 && block.end > t0), addressIn = block.offset < a1 && block.offset + block.size > a0;
  const t = timeIn ? (t0 + t1) / 2 : (block.begin + block.end) / 2, half = (t1 - t0) / 2;
  const a = addressIn ? (a0 + a1) / 2 : block.offset + block.size / 2, span = Math.max(a1 - a0, block.size * 1.2) / 2;
  setView(t - half, t + half, a - span, a + span);
}

// ---- Drawing

function resize() {
  const box = $('stage').getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
  size = {width: Math.max(1, box.width), height: Math.max(1, box.height)};
  canvas.width = Math.round(size.width * ratio);
  canvas.height = Math.round(size.height * ratio);
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (state.view) draw();
}
// The box of a block, clipped to the map: [x, y, width, height], or null if it is outside.
function boxOf(b) {
  const v = state.view;
  if (b.end <= v.t0 || b.begin >= v.t1 || b.offset + b.size <= v.a0 || b.offset >= v.a1) return null;
  const x0 = Math.max(xOf(b.begin), kMargin.left), x1 = Math.min(xOf(b.end), size.width - kMargin.right);
  const y0 = Math.max(yOf(b.offset + b.size), kMargin.top), y1 = Math.min(yOf(b.offset), size.height - kMargin.bottom);
  return [x0, y0, Math.max(x1 - x0, 1), Math.max(y1 - y0, 1)];
}

function drawBlocks() {
  const searching = state.matched !== null;
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  pen.textAlign = 'left';
  // Constants can be many thin rows: in each row of pixels it is enough to draw the first.
  let colourSet = null, row = -1;
  const named = [];
  for (const b of state.panel.drawn) {
    if (!state.panel.shown.has(b.kind)) continue;
    const box = boxOf(b);
    if (!box) continue;
    const [x, y, w, h] = box;
    if (b.always && h <= 1 && !searching) {
      if (Math.round(y) === row) continue;
      row = Math.round(y);
    }
    const shade = b.kind + turnOf(b);
    if (shade !== colourSet) { pen.fillStyle = colourOf(b); colourSet = shade; }
    pen.globalAlpha = searching && !state.matched.has(b) ? .18 : 1;
    // A gap of one pixel separates neighbours.
    const gap = w > 3 && h > 3 ? 1 : 0;
    pen.fillRect(x, y, w - gap, h - gap);
    if (w > 40 && h > 12) named.push([b, box]);
  }
  for (const [b, [x, y, w, h]] of named) {
    pen.globalAlpha = searching && !state.matched.has(b) ? .4 : 1;
    pen.fillStyle = inkOn(colourOf(b));
    const label = fitted(pen, b.label, w - 8), end = x + 4 + pen.measureText(label).width;
    // Not where others cover it.
    if ([x + 4, (x + end) / 2, end].every(at => state.panel.hit(timeAt(at), offsetAt(y + h / 2)) === b))
      pen.fillText(label, x + 4, y + h / 2);
  }
  pen.globalAlpha = 1;
  const outline = (b, colour, width) => {
    const box = b && state.panel.shown.has(b.kind) && boxOf(b);
    if (!box) return;
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.strokeRect(box[0] - 1, box[1] - 1, box[2] + 2, box[3] + 2);
  };
  if (searching && state.matched.size <= 2000) for (const b of state.matched) outline(b, style.match, 1.5);
  outline(state.hover, style.text, 1.5);
  outline(state.selected, style.accent, 3);
}

function drawAxes() {
  const v = state.view, c = style, right = size.width - kMargin.right, bottom = size.height - kMargin.bottom;
  pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
  pen.textBaseline = 'middle';
  pen.textAlign = 'right';
  pen.lineWidth = 1;
  const step = Math.max(64, 2 ** Math.ceil(Math.log2((v.a1 - v.a0) / mapHeight() * 56)));
  for (let a = Math.ceil(Math.max(v.a0, 0) / step) * step; a <= v.a1 && a <= state.panel.memory.total; a += step) {
    const y = Math.round(yOf(a)) + .5;
    pen.strokeStyle = c.grid;
    pen.beginPath(); pen.moveTo(kMargin.left, y); pen.lineTo(right, y); pen.stroke();
    pen.fillStyle = c.soft;
    pen.fillText(hexText(a), kMargin.left - 6, y);
  }
  pen.textAlign = 'center';
  const hop = Math.max(1, niceStep((v.t1 - v.t0) / mapWidth() * 80));
  for (let t = Math.ceil(Math.max(v.t0, 0) / hop) * hop; t <= v.t1 && t <= points; t += hop) {
    const x = Math.round(xOf(t)) + .5;
    pen.strokeStyle = c.grid;
    pen.beginPath(); pen.moveTo(x, kMargin.top); pen.lineTo(x, bottom); pen.stroke();
    pen.fillStyle = c.soft;
    if (x + pen.measureText(String(t)).width / 2 <= size.width) pen.fillText(String(t), x, bottom + 10);
  }
  pen.fillText('time: points of the timeline, one per command or host step', kMargin.left + mapWidth() / 2, size.height - 9);
}

// The bytes of live blocks that have a lifetime, drawn above the map on its time axis; the peak in both.
function drawProfile() {
  const v = state.view, c = style, panel = state.panel, top = 20, bottom = kMargin.top - 10, right = size.width - kMargin.right;
  pen.save();
  pen.beginPath(); pen.rect(kMargin.left, 0, mapWidth(), size.height - kMargin.bottom); pen.clip();
  if (panel.peak > 0) {
    const y = bytes => bottom - bytes / panel.peak * (bottom - top);
    pen.beginPath();
    pen.moveTo(xOf(Math.max(0, Math.floor(v.t0))), bottom);
    for (let t = Math.max(0, Math.floor(v.t0)); t < Math.min(points, Math.ceil(v.t1)); ++t) {
      pen.lineTo(xOf(t), y(panel.alive[t]));
      pen.lineTo(xOf(t + 1), y(panel.alive[t]));
    }
    pen.lineTo(xOf(Math.min(points, Math.ceil(v.t1))), bottom);
    pen.globalAlpha = .35; pen.fillStyle = c.accent; pen.fill(); pen.globalAlpha = 1;
    const x = xOf(panel.peakTime + .5), wide = Math.max(1, xOf(1) - xOf(0));
    pen.globalAlpha = .12; pen.fillStyle = c.bad;
    pen.fillRect(x - wide / 2, top, wide, size.height); pen.globalAlpha = 1;
    pen.strokeStyle = c.bad; pen.lineWidth = 1.5; pen.setLineDash([5, 3]);
    pen.beginPath(); pen.moveTo(x, top); pen.lineTo(x, size.height - kMargin.bottom); pen.stroke(); pen.setLineDash([]);
    const label = `peak ${bytesText(panel.peak)} at point ${panel.peakTime}`;
    const half = pen.measureText(label).width / 2 + 4;
    pen.fillStyle = c.bad; pen.textAlign = 'center';
    pen.fillText(label, Math.min(Math.max(x, kMargin.left + half), right - half), top - 10);
  }
  pen.restore();
  pen.fillStyle = c.soft; pen.textAlign = 'right';
  pen.fillText('alive', kMargin.left - 6, (top + bottom) / 2 - 7);
  pen.fillText('(planned)', kMargin.left - 6, (top + bottom) / 2 + 7);
  pen.strokeStyle = c.line; pen.lineWidth = 1;
  pen.strokeRect(kMargin.left - .5, kMargin.top - .5, mapWidth() + 1, mapHeight() + 1);
}

function draw() {
  pen.fillStyle = style.back;
  pen.fillRect(0, 0, size.width, size.height);
  drawAxes();
  drawBlocks();
  drawProfile();
}
