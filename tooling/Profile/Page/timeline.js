// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The timeline: rows of lanes on a canvas. Drawing takes time in proportion to the pixels, not to the
// zones: zones below a pixel are skipped by binary search.
'use strict';

const canvas = $('timeline'), stage = $('stage');
// Marks have a strip below the axis.
const LABEL = 170, LANE = 17, TICKS = 22, AXIS = TICKS + (data.marks.length ? 20 : 0), GAP = 6, HEAD = 18;
const view = {begin: 0, end: span, top: 0};
let selected = null; // [row, lane, zone]
let width = 1, height = 1;

/// A row that shows nothing has room for its name.
const heightOf = row => Math.max(1, row.lanes.length) * LANE;
/// Positions of the rows from the top of the canvas, without scrolling.
const layout = [];
let total = AXIS;
for (const row of rows) {
  if (row.group) total += HEAD;
  layout.push(total);
  total += heightOf(row) + GAP;
}
const xOf = time => LABEL + (time - view.begin) / (view.end - view.begin) * (width - LABEL);
const timeOf = x => view.begin + (x - LABEL) / (width - LABEL) * (view.end - view.begin);

function setView(begin, end) {
  const length = Math.min(Math.max(end - begin, 10), span * 1.1);
  const least = -0.05 * span, most = 1.05 * span;
  view.begin = Math.min(Math.max(begin, least), Math.max(least, most - length));
  view.end = view.begin + length;
  redraw();
}
function zoom(factor, at = (view.begin + view.end) / 2) {
  setView(at - (at - view.begin) * factor, at + (view.end - at) * factor);
}
const pan = share => setView(view.begin + share * (view.end - view.begin), view.end + share * (view.end - view.begin));
function scroll(by) {
  view.top = Math.min(Math.max(0, view.top + by), Math.max(0, total - height));
  redraw();
}

// Not higher than its rows; the user can resize it.
stage.style.height = `min(46vh, ${total + 14}px)`;

function drawLane(context, lane, y, rowIndex, laneIndex) {
  const scale = (width - LABEL) / (view.end - view.begin);
  const dim = matching !== null;
  let visited = 0;
  for (let zone = lane.after(view.begin); zone < lane.count && lane.begin[zone] < view.end;) {
    ++visited;
    const left = Math.max(LABEL, LABEL + (lane.begin[zone] - view.begin) * scale);
    const right = Math.min(width, LABEL + (lane.end[zone] - view.begin) * scale);
    context.globalAlpha = dim && !isMatch(lane, zone) ? 0.18 : 1;
    context.fillStyle = colorOf(lane, zone);
    if (right - left < 1) {
      // One pixel stands for all zones in it.
      context.fillRect(left, y, 1, LANE - 2);
      zone = Math.max(zone + 1, lane.after(view.begin + (Math.floor(left) + 1 - LABEL) / scale));
      continue;
    }
    context.fillRect(left, y, right - left - (right - left > 3 ? 0.5 : 0), LANE - 2);
    if (right - left > 26) {
      context.fillStyle = inkOn(colorOf(lane, zone));
      context.fillText(fitted(context, text(lane.name[zone]), right - left - 6), left + 3, y + LANE - 6);
    }
    if (selected && selected[0] === rowIndex && selected[1] === laneIndex && selected[2] === zone) {
      context.globalAlpha = 1;
      context.strokeStyle = style.text;
      context.lineWidth = 2;
      context.strokeRect(left, y, Math.max(2, right - left), LANE - 2);
    }
    ++zone;
  }
  context.globalAlpha = 1;
  return visited;
}

function draw() {
  const ratio = window.devicePixelRatio || 1;
  width = stage.clientWidth;
  height = stage.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext('2d', {alpha: false});
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = style.back;
  context.fillRect(0, 0, width, height);
  context.font = '11px system-ui, "DejaVu Sans", sans-serif';
  const step = niceStep((view.end - view.begin) / (width - LABEL) * 110); // one tick in 110 pixels
  context.fillStyle = style.line;
  for (let time = Math.ceil(view.begin / step) * step; time < view.end; time += step)
    context.fillRect(xOf(time), AXIS, 1, height);
  let visited = 0;
  rows.forEach((row, index) => {
    const top = layout[index] - view.top;
    if (top > height || top + heightOf(row) < AXIS - HEAD) return;
    row.lanes.forEach((lane, depth) => { visited += drawLane(context, lane, top + depth * LANE, index, depth); });
    context.fillStyle = style.panel;
    context.fillRect(0, top - (row.group ? HEAD : 0), LABEL - 4, heightOf(row) + (row.group ? HEAD : 0));
    if (row.group) {
      context.fillStyle = style.text;
      context.fillText(fitted(context, row.group, LABEL - 16), 8, top - 5);
    }
    context.fillStyle = style.soft;
    context.fillText(fitted(context, row.name, LABEL - 26), 18, top + 11);
  });
  context.fillStyle = style.panel;
  context.fillRect(0, 0, width, AXIS);
  drawMarks(context);
  context.fillStyle = style.soft;
  for (let time = Math.ceil(view.begin / step) * step; time < view.end; time += step) {
    const label = axisText(time, step, view.end), x = xOf(time) + 3;
    if (x >= LABEL && x + context.measureText(label).width <= width) context.fillText(label, x, 15);
  }
  context.fillText('all of ' + duration(span), 8, 15);
  $('position').textContent = `${duration(view.begin)} to ${duration(view.end)}: ${duration(view.end - view.begin)}`;
  return visited;
}

const markColor = ([, kind, , , color]) => color ? '#' + color.toString(16).padStart(6, '0') : style[MARK_COLORS[kind]];
/// Frames are ticks in the strip of marks. Signposts and messages have their text there, and a line across the rows,
/// where the text of the one before leaves room; else a tick.
function drawMarks(context) {
  const kDensest = 26;
  let tick = -1, free = LABEL;
  for (const mark of data.marks) {
    const [time, kind, header] = mark, x = Math.floor(xOf(time));
    if (time < view.begin || time > view.end || x < LABEL) continue;
    context.fillStyle = markColor(mark);
    if (kind === 'frame' || x < free || x + kDensest > width) {
      if (x > tick) context.fillRect(x, TICKS, 1, 5);
      tick = x;
      continue;
    }
    context.fillRect(x, TICKS, 2, 18);
    context.globalAlpha = 0.6;
    context.fillRect(x, AXIS, 1, height);
    context.globalAlpha = 1;
    const label = fitted(context, header, Math.min(160, width - x - 6));
    context.fillStyle = style.text;
    context.fillText(label, x + 5, TICKS + 15);
    free = x + Math.max(kDensest, context.measureText(label).width + 14);
  }
}
/// Marks at a point of their strip.
function marksAt(x, y) {
  if (y < TICKS || y >= AXIS || x < LABEL) return [];
  const near = data.marks.filter(([time]) => Math.abs(xOf(time) - x) <= 4);
  return near.slice(0, 6).map(([time, kind, header, message]) => definitions([[kind, header],
    ...(message ? [['says', message]] : []), ['at', duration(time)]]))
    .concat(near.length > 6 ? [element('p', `and ${near.length - 6} more`)] : []);
}

/// The zone at a point of the canvas, or null.
function hit(x, y) {
  if (x < LABEL || y < AXIS) return null;
  for (let row = 0; row < rows.length; ++row) {
    const depth = Math.floor((y + view.top - layout[row]) / LANE);
    if (y + view.top < layout[row] || depth >= rows[row].lanes.length) continue;
    const lane = rows[row].lanes[depth];
    let zone = lane.at(timeOf(x));
    if (zone < 0) { // what is drawn one pixel wide can be hit, too
      const near = lane.after(timeOf(x - 1));
      if (near < lane.count && lane.begin[near] <= timeOf(x + 1)) zone = near;
    }
    return zone < 0 ? null : [row, depth, zone];
  }
  return null;
}

function select(found, show = false) {
  selected = found;
  showDetails();
  if (found && show) {
    const [row, depth, zone] = found, lane = rows[row].lanes[depth];
    const length = lane.end[zone] - lane.begin[zone];
    if (lane.begin[zone] > view.end || lane.end[zone] < view.begin) {
      const half = (view.end - view.begin) / 2, middle = lane.begin[zone] + length / 2;
      setView(middle - half, middle + half);
    }
    const top = layout[row] + depth * LANE;
    if (top < view.top + AXIS || top + LANE > view.top + height) scroll(top - view.top - height / 2);
  }
  redraw();
}
function showZone([row, depth, zone]) {
  const lane = rows[row].lanes[depth], length = Math.max(20, lane.end[zone] - lane.begin[zone]);
  setView(lane.begin[zone] - length * 0.2, lane.end[zone] + length * 0.2);
}
