// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roofline plot: operations per byte of DRAM against operations per second, both logarithmic. The
// roofs are the limits of the device; a dot is an op of the table.
'use strict';

const SVG = $('roofline').firstElementChild.namespaceURI;
const ROOF = {width: 900, height: 360, left: 64, right: 24, top: 10, bottom: 38};
/// The ops that have a place: with operations, bytes and a duration.
const dots = data.ops.map((op, index) => ({op, index}))
  .filter(({op}) => op.flops > 0 && op.bytes > 0 && op.median > 0)
  .map(dot => ({...dot, intensity: dot.op.flops / dot.op.bytes, rate: dot.op.flops / dot.op.median * 1e9}));
/// The known roofs of each device.
const roofs = data.limits.flatMap(limits => [['f32', limits.flops], ['8-bit products', limits.int8]]
  .filter(([kind, peak]) => peak > 0 && (kind === 'f32' || data.ops.some(op => op.int8)))
  .map(([kind, peak]) => ({kind, peak, bandwidth: limits.bandwidth})))
  // Equal devices have one roof.
  .filter((roof, index, all) => index === all.findIndex(other => ['kind', 'peak', 'bandwidth'].every(name => other[name] === roof[name])))
  .sort((a, b) => b.peak - a.peak);
const isAbove = ({op, intensity, rate}) => {
  const own = roofs.filter(roof => roof.kind === (op.int8 ? '8-bit products' : 'f32'));
  return own.length > 0 && own.every(({peak, bandwidth}) => rate > Math.min(peak, bandwidth > 0 ? intensity * bandwidth : peak));
};

/// What both axes show, in powers of ten.
const roofline = (() => {
  const xs = dots.map(dot => dot.intensity), ys = dots.map(dot => dot.rate);
  for (const {peak, bandwidth} of roofs) {
    ys.push(peak);
    if (bandwidth > 0) xs.push(peak / bandwidth);
  }
  const range = values => {
    const least = Math.floor(Math.log10(Math.min(...values)) - 0.1), most = Math.ceil(Math.log10(Math.max(...values)) + 0.1);
    return values.length ? [least, Math.max(most, least + 1)] : [0, 1];
  };
  return {x: range(xs), y: range(ys)};
})();
const intensityX = intensity => ROOF.left +
  (Math.log10(intensity) - roofline.x[0]) / (roofline.x[1] - roofline.x[0]) * (ROOF.width - ROOF.left - ROOF.right);
const rateY = rate => ROOF.height - ROOF.bottom -
  (Math.log10(rate) - roofline.y[0]) / (roofline.y[1] - roofline.y[0]) * (ROOF.height - ROOF.top - ROOF.bottom);

function si(number, unit) {
  const power = Math.min(Math.max(Math.floor(Math.log10(number) / 3), -3), 5);
  return `${+(number / 1000 ** power).toPrecision(3)} ${['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P'][power + 3]}${unit}`;
}
function svg(tag, attributes, content = '') {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (content) made.textContent = content;
  return made;
}
/// What is known of an op, of its limits, too.
function describeOp({op, intensity, rate}) {
  const list = [['op', text(op.name)], ['source', text(op.source)], ['operations', si(op.flops, op.int8 ? 'OP' : 'FLOP')],
    ['per byte', intensity.toPrecision(3)], ['per second', si(rate, op.int8 ? 'OP/s' : 'FLOP/s')], ['median', duration(op.median)]];
  if (op.peak !== undefined) list.push(['of peak', percent(op.peak)]);
  if (op.band !== undefined) list.push(['of bandwidth', percent(op.band)]);
  return list.filter(([, value]) => value !== '');
}

function drawRoofs(plot) {
  const right = ROOF.width - ROOF.right, lowest = 10 ** roofline.x[0];
  let last = -Infinity; // where the name before is
  for (const {kind, peak, bandwidth} of roofs) {
    const ridge = bandwidth > 0 ? peak / bandwidth : lowest, begin = Math.max(ridge, lowest);
    const points = [[begin, peak], [10 ** roofline.x[1], peak]];
    if (bandwidth > 0) {
      // Up from where the slope enters the plot.
      const enters = Math.max(lowest, 10 ** roofline.y[0] / bandwidth);
      if (enters < ridge) points.unshift([enters, enters * bandwidth]);
    }
    plot.append(svg('polyline', {class: 'roof', points: points.map(([x, y]) => `${intensityX(x)},${rateY(y)}`).join(' ')}));
    last = Math.max(rateY(peak) - 4, last + 13);
    plot.append(svg('text', {class: 'name', x: right - 4, y: last, 'text-anchor': 'end'},
      `${kind}: ${si(peak, kind === 'f32' ? 'FLOP/s' : 'OP/s')}` + (bandwidth > 0 ? `, ${si(bandwidth, 'B/s')}` : '')));
  }
}

function showRoofline() {
  const section = $('roofline');
  section.replaceChildren(element('h2', 'Roofline'));
  if (!dots.length) {
    section.append(element('p', 'No program has a known number of operations.', {class: 'soft'}));
    return;
  }
  const plot = svg('svg', {viewBox: `0 0 ${ROOF.width} ${ROOF.height}`, role: 'img', 'aria-label': 'Roofline plot'});
  for (let power = roofline.x[0]; power <= roofline.x[1]; ++power) {
    const x = intensityX(10 ** power);
    plot.append(svg('line', {class: 'grid', x1: x, x2: x, y1: ROOF.top, y2: ROOF.height - ROOF.bottom}),
      svg('text', {x, y: ROOF.height - ROOF.bottom + 17, 'text-anchor': 'middle'}, String(+(10 ** power).toPrecision(1))));
  }
  for (let power = roofline.y[0]; power <= roofline.y[1]; ++power) {
    const y = rateY(10 ** power);
    plot.append(svg('line', {class: 'grid', x1: ROOF.left, x2: ROOF.width - ROOF.right, y1: y, y2: y}),
      svg('text', {x: ROOF.left - 6, y: y + 4, 'text-anchor': 'end'}, si(10 ** power, '')));
  }
  plot.append(svg('text', {x: (ROOF.left + ROOF.width) / 2, y: ROOF.height - 4, 'text-anchor': 'middle'}, 'operations per byte of DRAM'),
    svg('text', {x: 12, y: ROOF.height / 2, 'text-anchor': 'middle', transform: `rotate(-90 12 ${ROOF.height / 2})`}, 'operations per second'));
  const most = Math.max(...dots.map(({op}) => op.share), 1e-9);
  // Large dots first, so that they hide none.
  for (const dot of [...dots].sort((a, b) => b.op.share - a.op.share).slice(0, 1000)) {
    const made = svg('circle', {class: 'dot', cx: intensityX(dot.intensity), cy: rateY(dot.rate),
      r: (3 + 7 * Math.sqrt(dot.op.share / most)).toFixed(1), tabindex: 0, 'data-op': dot.index});
    made.append(svg('title', {}, describeOp(dot).map(pair => pair.join(': ')).join('\n')));
    made.onclick = () => selectOp(dot.index);
    made.onkeydown = event => { if (event.key === 'Enter') selectOp(dot.index); };
    plot.append(made);
  }
  drawRoofs(plot);
  section.append(plot);
  const left = data.ops.filter(op => op.type === 'device').length - dots.length, notes = [];
  if (!roofs.length) notes.push('No limits are known: ttrun report --measure-peak measures this machine.');
  for (const limits of data.limits) if (limits.source) notes.push(`Roofs: ${limits.source}.`);
  notes.push('A dot is an op; its area is its share of the time. Operations are counted as those of direct products and ' +
    'convolutions, bytes as those of the operands.');
  const above = dots.filter(isAbove).length;
  if (above) notes.push(`${above} dot${above === 1 ? ' is' : 's are'} above the roof: Winograd convolutions do fewer operations ` +
    'than are counted, and what is in a cache is not read from DRAM.');
  if (left > 0) notes.push(`${left} op${left === 1 ? ' has' : 's have'} no place: no operations, or no bytes of DRAM.`);
  section.append(element('p', notes.join(' '), {class: 'soft'}));
}

/// Marks the dot of the op of the selected zone.
function markDot() {
  const op = selected ? rows[selected[0]].lanes[selected[1]].op[selected[2]] : -1;
  for (const dot of $('roofline').querySelectorAll('.dot'))
    dot.classList.toggle('selected', Number(dot.getAttribute('data-op')) === op);
}
