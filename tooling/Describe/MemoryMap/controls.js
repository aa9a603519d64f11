// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything around the picture.

function lifetimeText(b) {
  return b.always ? 'always' : `[${b.begin}, ${b.end})`;
}

// ---- Details, lists

function showDetails() {
  const b = state.selected, place = $('details');
  place.replaceChildren();
  element('h2', b ? 'Selected' : 'Nothing selected', place);
  if (!b) { element('div', 'Click a buffer, or press . to walk through them.', place); return; }
  const rows = [['name', b.name], ['kind', b.kind], ['bytes', `${exactText(b.size)} (${bytesText(b.size)})`],
    ['offset', `${hexText(b.offset)} to ${hexText(b.offset + b.size)}`], ['address', hexText(state.panel.base + b.offset)],
    ['lifetime', lifetimeText(b)]];
  if (b.type) rows.push(['type', b.type]);
  if (b.source) rows.push(['source op', b.source]);
  for (const [title, access] of [['written by', 2], ['read by', 1]]) {
    const ops = opsOf(b.buffer, access);
    if (ops.length) rows.push([title, ops.slice(0, 12).join(', ') + (ops.length > 12 ? `, and ${ops.length - 12} more` : '')]);
  }
  if (!b.always) rows.push(['from', pointText(b.begin)], ['to', pointText(b.end - 1)]);
  place.append(definitions(rows));
}
function showSummary() {
  const {panel} = state, m = panel.memory, place = $('summary');
  place.replaceChildren();
  element('h2', m.id === 'l1' ? `L1 of core ${panel.core}` : m.title, place);
  const rows = [['total', exactText(m.total)], ['used', `${exactText(m.used)} (${bytesText(m.used)})`], ['free', exactText(m.free)],
    ['largest gap', exactText(m.largest_gap)], ['always alive', exactText(panel.always)],
    ['peak of blocks with a lifetime', `${exactText(panel.peak)} at point ${panel.peakTime}`]];
  if (m.lower_bound) rows.push([m.id === 'l1' ? 'tensors and scratch' : 'activations', `${exactText(m.arena_size)}, ${(m.arena_size / m.lower_bound).toFixed(3)} x the lower bound of ${exactText(m.lower_bound)}`]);
  rows.push(['blocks', String(panel.blocks.length)]);
  place.append(definitions(rows));
}
function listBlocks(place, title, blocks) {
  const kMost = 60;
  place.replaceChildren();
  element('h2', title, place);
  const list = element('ol', undefined, place);
  for (const b of blocks.slice(0, kMost)) {
    const button = element('button', undefined, element('li', undefined, list));
    element('bdi', b.label, button);
    element('span', bytesText(b.size), button);
    button.title = b.name;
    button.addEventListener('click', () => select(b));
  }
  if (blocks.length > kMost) element('div', `and ${blocks.length - kMost} more`, place);
}
function showPeak() {
  const {panel} = state;
  $('peak-list').hidden = !panel.peak;
  listBlocks($('peak-list'), `Alive at the peak, point ${panel.peakTime}: ${pointText(panel.peakTime)}`, panel.atPeak());
}

function select(block, move = true) {
  state.selected = block;
  showDetails();
  if (block && move) reveal(block);
  redraw();
}
function step(list, by) {
  const visible = list.filter(b => state.panel.shown.has(b.kind));
  if (!visible.length) return;
  const at = visible.indexOf(state.selected);
  select(visible[at < 0 ? (by > 0 ? 0 : visible.length - 1) : (at + by + visible.length) % visible.length]);
}
function search(words) {
  state.matches = state.panel.matching(words);
  state.matched = words.trim() ? new Set(state.matches) : null;
  $('matches').textContent = state.matched ? `${state.matches.length} of ${state.panel.blocks.length}` : '';
  $('found').hidden = !state.matched;
  if (state.matched) listBlocks($('found'), `${state.matches.length} found`, state.matches);
  redraw();
}

// ---- Tabs, legend, theme

function showLegend() {
  const place = $('legend');
  place.replaceChildren();
  for (const kind of state.panel.kinds) {
    const label = element('label', undefined, place), box = element('input', undefined, label);
    box.type = 'checkbox';
    box.checked = state.panel.shown.has(kind);
    box.addEventListener('change', () => {
      state.panel.shown[box.checked ? 'add' : 'delete'](kind);
      search($('search').value);
    });
    element('i', undefined, label).style.background = colourOf({kind, number: 1}) /* number 1 is drawn without variation */;
    label.append(kind);
  }
}
function show(panel) {
  state.panel = panel;
  state.hover = state.selected = null;
  $('tip').hidden = true;
  for (const tab of $('tabs').children) {
    tab.setAttribute('aria-selected', String(tab.dataset.id === panel.memory.id));
    tab.tabIndex = tab.dataset.id === panel.memory.id ? 0 : -1;
  }
  $('core-label').hidden = panel.memory.id !== 'l1';
  showLegend(); showDetails(); showSummary(); showPeak();
  search($('search').value);
  fit(true);
}
// The panels of other cores are made on demand.
function panelOf(id, core = 0) {
  let found = state.panels.find(p => p.memory.id === id && p.core === core);
  if (!found) state.panels.push(found = new Panel(data.memories.find(m => m.id === id), core));
  return found;
}
function makeTabs() {
  for (const memory of data.memories) {
    const tab = element('button', memory.title, $('tabs'));
    tab.dataset.id = memory.id;
    tab.setAttribute('role', 'tab');
    tab.addEventListener('click', () => show(panelOf(memory.id, memory.id === 'l1' ? Number($('core').value) : 0)));
  }
  $('tabs').addEventListener('keydown', event => {
    const by = {ArrowRight: 1, ArrowLeft: -1}[event.key], tabs = [...$('tabs').children];
    if (!by) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length];
    next.focus();
    next.click();
    event.stopPropagation();
  });
  for (let core = 0; core < data.cores; ++core) element('option', String(core), $('core')).value = String(core);
  $('core').addEventListener('change', () => show(panelOf('l1', Number($('core').value))));
}
// ---- Pointer

function pointAt(event) {
  const box = canvas.getBoundingClientRect();
  return [event.clientX - box.left, event.clientY - box.top];
}
function showBlock(block, x, y) {
  if (!block) return showTip(x, y);
  const lines = [`${block.kind}, ${exactText(block.size)} (${bytesText(block.size)}) at ${hexText(block.offset)}`,
    `lifetime ${lifetimeText(block)}${block.type ? ', ' + block.type : ''}`];
  if (block.label !== block.name) lines.unshift(block.name);
  if (block.source && block.source !== block.label) lines.push('from ' + block.source);
  showTip(x, y, element('b', block.label), ...lines.map(line => element('span', line)));
}
let drag = null;
canvas.addEventListener('pointerdown', event => {
  const [x, y] = pointAt(event);
  drag = {x, y, moved: false};
  try { canvas.setPointerCapture(event.pointerId); } catch { /* a pointer that is gone already */ }
});
canvas.addEventListener('pointermove', event => {
  const [x, y] = pointAt(event);
  if (drag) {
    if (Math.abs(x - drag.x) + Math.abs(y - drag.y) > 3) drag.moved = true;
    if (!drag.moved) return;
    pan((drag.x - x) / mapWidth(), (y - drag.y) / mapHeight());
    Object.assign(drag, {x, y});
    $('tip').hidden = true;
    return;
  }
  const on = isOnMap(x, y), found = on ? state.panel.hit(timeAt(x), offsetAt(y)) : null;
  const time = Math.floor(timeAt(x));
  $('position').textContent = on && time >= 0 && time < points ? `point ${time}: ${pointText(time)}` : '';
  showBlock(found, x, y);
  if (found !== state.hover) { state.hover = found; redraw(); }
});
canvas.addEventListener('pointerup', event => {
  const [x, y] = pointAt(event);
  if (drag && !drag.moved && isOnMap(x, y)) select(state.panel.hit(timeAt(x), offsetAt(y)), false);
  drag = null;
});
canvas.addEventListener('pointercancel', () => { drag = null; });
canvas.addEventListener('pointerleave', () => { $('tip').hidden = true; state.hover = null; redraw(); });
canvas.addEventListener('dblclick', event => zoom(.5, ...pointAt(event)));
canvas.addEventListener('wheel', event => {
  event.preventDefault();
  const turned = event.deltaY || event.deltaX; // Shift turns the wheel sideways
  zoom(Math.exp(Math.max(-1, Math.min(1, turned / 300))), ...pointAt(event), event.shiftKey ? 't' : event.altKey ? 'a' : 'ta');
}, {passive: false});

// ---- Keys

const kKeys = {
  '+': () => zoomMiddle(1 / 1.5), '=': () => zoomMiddle(1 / 1.5), '-': () => zoomMiddle(1.5),
  ']': () => zoomMiddle(1 / 1.5, 't'), '[': () => zoomMiddle(1.5, 't'),
  '}': () => zoomMiddle(1 / 1.5, 'a'), '{': () => zoomMiddle(1.5, 'a'),
  '0': () => fit(false), Home: () => fit(false), a: () => fit(true), p: fitPeak,
  '.': () => step(state.panel.ordered, 1), ',': () => step(state.panel.ordered, -1),
  n: () => step(state.matches, 1), N: () => step(state.matches, -1),
  '/': () => $('search').focus(), '?': () => $('help').showModal(),
  Escape: () => { $('search').value = ''; search(''); select(null); },
};
document.addEventListener('keydown', event => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('help').open) return;
  if (event.target === $('search')) {
    if (event.key === 'Enter' && state.matches.length) { select(state.matches[0]); canvas.focus(); }
    else if (event.key === 'Escape') { kKeys.Escape(); canvas.focus(); }
    else return;
    event.preventDefault();
    return;
  }
  const far = event.shiftKey ? .5 : .1;
  const arrows = {ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far]}[event.key];
  if (arrows && event.target.tagName !== 'SELECT') pan(...arrows);
  else if (/^[1-9]$/.test(event.key) && data.memories[event.key - 1]) $('tabs').children[event.key - 1].click();
  else if (kKeys[event.key] && event.target.tagName !== 'SELECT') kKeys[event.key]();
  else return;
  event.preventDefault();
});
$('search').addEventListener('input', () => search($('search').value));
$('zoom-in').addEventListener('click', kKeys['+']);
$('zoom-out').addEventListener('click', kKeys['-']);
$('fit-all').addEventListener('click', kKeys['0']);
$('fit-planned').addEventListener('click', kKeys.a);
$('fit-peak').addEventListener('click', kKeys.p);

$('subject').textContent = `${data.entries.join(', ')} for ${data.target}`;
$('subject').title = data.producer;
restyle();
makeTabs();
resize();
show(panelOf(data.memories[0].id));
restyled.push(showLegend);
// map.html#trace,dark opens with that memory and that theme.
for (const word of location.hash.slice(1).split(',')) {
  if (data.memories.some(m => m.id === word)) show(panelOf(word));
  if (word === 'light' || word === 'dark') setTheme(word);
}
new ResizeObserver(resize).observe($('stage'));
